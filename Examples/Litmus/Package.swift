// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package this one uses: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "Litmus",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Litmus", dependencies: [.product(name: "SignalboxLocks", package: "Signalbox")],
      swiftSettings: settings),
    .testTarget(name: "LitmusTests", dependencies: ["Litmus"], swiftSettings: settings),
  ]
)
