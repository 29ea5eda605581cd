// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that this one uses: data races are errors, an import is an
/// implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let signalbox = [
  "SignalboxDispatch", "SignalboxLocks", "SignalboxOperations", "SignalboxConcurrency",
].map {
  Target.Dependency.product(name: $0, package: "Signalbox")
}

let package = Package(
  name: "Soak",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    .target(name: "CHeap"),
    .executableTarget(
      name: "SoakServer", dependencies: signalbox + ["CHeap"], swiftSettings: settings),
  ]
)
