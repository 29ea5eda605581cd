// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one uses: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

let signalbox = ["SignalboxDispatch", "SignalboxRunLoop"].map {
  Target.Dependency.product(name: $0, package: "Signalbox")
}

let package = Package(
  name: "Embedding",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    .systemLibrary(
      name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .target(name: "Errands", dependencies: signalbox, swiftSettings: settings),
    .executableTarget(
      name: "PollLoop", dependencies: ["Errands"] + signalbox, swiftSettings: settings),
    .executableTarget(
      name: "GLibLoop", dependencies: ["Errands", "CGLib"] + signalbox, swiftSettings: settings),
    .executableTarget(
      name: "FrameLoop", dependencies: ["Errands"] + signalbox, swiftSettings: settings),
    .testTarget(
      name: "EmbeddingTests", dependencies: ["PollLoop", "GLibLoop", "FrameLoop"],
      swiftSettings: settings),
  ]
)
