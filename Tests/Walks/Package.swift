// swift-tools-version: 6.3
import PackageDescription

// A package of its own, because it is built with counters of coverage.
let package = Package(
  name: "Walks",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: [
    // The functions of the counters' runtime, which no module of the toolchain declares.
    .target(name: "CCoverage"),
    .executableTarget(
      name: "Walks",
      dependencies: ["CCoverage", .product(name: "Signalbox", package: "Signalbox")],
      // Data races are errors, an import is an implementation detail, `any` is written out.
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
      ]),
  ]
)
