// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package this one belongs to: data races are errors, an import is an
/// implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

// A package of its own, because it is built with optimization: it explores millions of states.
let package = Package(
  name: "ModelTests",
  targets: [
    .testTarget(
      name: "ModelTests", path: ".", sources: ["Litmus", "Model", "Protocols"],
      swiftSettings: settings)
  ]
)
