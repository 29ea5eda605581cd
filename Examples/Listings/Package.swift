// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one shows: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "Listings",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    // Used by the program (a fault is shown in a child) and by its tests.
    .target(name: "ChildProcess", swiftSettings: settings),
    .executableTarget(
      name: "Listings",
      dependencies: [
        "ChildProcess", .product(name: "SignalboxDispatch", package: "Signalbox"),
        .product(name: "SignalboxLocks", package: "Signalbox"),
        .product(name: "SignalboxOperations", package: "Signalbox"),
        .product(name: "SignalboxThreads", package: "Signalbox"),
        .product(name: "SignalboxRunLoop", package: "Signalbox"),
        .product(name: "SignalboxPatterns", package: "Signalbox"),
      ],
      // Read by the tests, from the source tree.
      exclude: ["Index"],
      swiftSettings: settings),
    .testTarget(
      name: "ListingsTests", dependencies: ["ChildProcess", "Listings"], swiftSettings: settings),
  ]
)
