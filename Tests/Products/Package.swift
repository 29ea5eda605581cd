// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that this one uses: data races are errors, an import is an
/// implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Programs that use one product of the library and nothing else. Each records what the
/// environment requests.
let programs = [
  "Dispatch", "Locks", "Threads", "RunLoop", "Operations", "Patterns", "Concurrency", "Foundation",
]

let package = Package(
  name: "Products",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: programs.map { name in
    .executableTarget(
      name: "\(name)Alone",
      dependencies: [.product(name: "Signalbox\(name)", package: "Signalbox")],
      swiftSettings: settings)
  } + [
    // Needs no more than the smaller of the two programs that use it.
    .target(
      name: "Deadlock",
      dependencies: [.product(name: "SignalboxCore", package: "Signalbox")],
      swiftSettings: settings),
    .executableTarget(
      name: "StaticallyLinked",
      dependencies: [
        "Deadlock",
        .product(name: "SignalboxConcurrency", package: "Signalbox"),
        .product(name: "SignalboxDispatch", package: "Signalbox"),
      ],
      swiftSettings: settings,
      // The program's file contains the Swift runtime. Every target that depends on this one
      // would be linked the same way. The tests do not depend on it; they find the program
      // because the whole package is built.
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "CoreAlone",
      dependencies: ["Deadlock", .product(name: "SignalboxCore", package: "Signalbox")],
      swiftSettings: settings,
      // As small as a program gets: without the toolchain's libraries, and without symbols.
      linkerSettings: [.unsafeFlags(["-static-stdlib", "-Xlinker", "-s"])]),
    .executableTarget(
      // What `CoreAlone` is compared with: the same without any queue.
      name: "Nothing", swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-static-stdlib", "-Xlinker", "-s"])]),
    .testTarget(
      name: "ProductsTests",
      dependencies: programs.map { .byName(name: "\($0)Alone") }, swiftSettings: settings),
  ]
)
