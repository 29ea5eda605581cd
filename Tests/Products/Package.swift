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
    .testTarget(
      name: "ProductsTests",
      dependencies: programs.map { .byName(name: "\($0)Alone") }, swiftSettings: settings)
  ]
)
