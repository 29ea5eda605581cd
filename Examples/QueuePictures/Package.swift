// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one shows: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let signalbox = [
  "SignalboxDispatch", "SignalboxLocks", "SignalboxRunLoop", "SignalboxTrace",
].map {
  Target.Dependency.product(name: $0, package: "Signalbox")
}

let package = Package(
  name: "QueuePictures",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    // One processor for a process: what Swift's interface to the C library leaves out.
    .target(name: "COneProcessor"),
    .executableTarget(
      name: "QueuePictures", dependencies: ["COneProcessor"] + signalbox, swiftSettings: settings),
    .testTarget(
      name: "QueuePicturesTests", dependencies: ["QueuePictures"], swiftSettings: settings),
  ]
)
