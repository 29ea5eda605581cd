// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one uses: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "OnePool",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "OnePool",
      dependencies: [.product(name: "SignalboxConcurrency", package: "Signalbox")],
      swiftSettings: settings),
    .testTarget(name: "OnePoolTests", dependencies: ["OnePool"], swiftSettings: settings),
  ]
)
