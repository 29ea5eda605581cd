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
  name: "RunLoopCells",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "RunLoopCells", dependencies: [.product(name: "Signalbox", package: "Signalbox")],
      swiftSettings: settings),
    .testTarget(
      name: "RunLoopCellsTests",
      dependencies: ["RunLoopCells", .product(name: "Signalbox", package: "Signalbox")],
      swiftSettings: settings),
  ]
)
