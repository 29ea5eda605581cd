// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one uses: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Programs that know of one product of the library and of nothing else of it. What the
/// environment asks to be recorded is, in each.
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
    .executableTarget(
      name: "StaticallyLinked",
      dependencies: [
        .product(name: "SignalboxConcurrency", package: "Signalbox"),
        .product(name: "SignalboxDispatch", package: "Signalbox"),
      ],
      swiftSettings: settings,
      // The Swift runtime goes into the program's file. Whatever depends on this target is linked
      // so, too: the tests do not, and find the program because all of the package is built.
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .testTarget(
      name: "ProductsTests",
      dependencies: programs.map { .byName(name: "\($0)Alone") }, swiftSettings: settings),
  ]
)
