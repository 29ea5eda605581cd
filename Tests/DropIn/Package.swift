// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The settings of the package that this one uses: data races are errors, an import is an
/// implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The folder of the toolchain's headers for C programs, beside its libraries.
let headers =
  (Context.environment["PATH"] ?? "").split(separator: ":").map {
    URL(fileURLWithPath: "\($0)/swift").resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("lib/swift").path
  }.first { FileManager.default.fileExists(atPath: "\($0)/dispatch/dispatch.h") }
  ?? "/usr/lib/swift"

/// As a C program is built against the toolchain's library.
let asCProgram: [CSetting] = [.unsafeFlags(["-fblocks", "-I", headers, "-I", "\(headers)/Block"])]

let dropIn = Target.Dependency.product(name: "SignalboxDropIn", package: "Signalbox")
let bridges: [Target.Dependency] = ["SignalboxBridges", "SignalboxDispatch"].map {
  .product(name: $0, package: "Signalbox")
}

let package = Package(
  name: "DropIn",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../.."),
    .package(path: "Packages/OnlyDispatch"),
    .package(path: "Packages/OnlyFoundation"),
    .package(path: "Packages/OnlyTasks"),
  ],
  targets: [
    .target(name: "StockScenarios", swiftSettings: settings),
    // Nothing in their sources names Signalbox.
    .executableTarget(
      name: "StockProgram",
      dependencies: [
        "StockScenarios", "OnlyDispatch", "OnlyFoundation", "OnlyTasks", "CUndeclared", dropIn,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "AsyncStockProgram", dependencies: ["OnlyTasks", dropIn], swiftSettings: settings),
    .executableTarget(name: "HelloProgram", dependencies: [dropIn], swiftSettings: settings),
    .executableTarget(name: "LoopStockProgram", dependencies: [dropIn], swiftSettings: settings),
    .executableTarget(name: "CProgram", dependencies: [dropIn], cSettings: asCProgram),
    .target(name: "CUndeclared", cSettings: asCProgram),
    .executableTarget(
      name: "MixedProgram",
      dependencies: [
        "OnlyDispatch", "OnlyFoundation", "OnlyTasks", dropIn,
        .product(name: "SignalboxFoundation", package: "Signalbox"),
        .product(name: "SignalboxConcurrency", package: "Signalbox"),
      ],
      swiftSettings: settings),
    .target(name: "CReferences", cSettings: asCProgram),
    .executableTarget(
      name: "BridgesProgram", dependencies: ["CReferences"] + bridges, swiftSettings: settings),
    .executableTarget(
      name: "HiddenDropInProgram", dependencies: bridges, swiftSettings: settings,
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/hidden.map"])
      ]),
    // The tests do not depend on the programs, because they would be linked with all that the
    // programs are linked with; they find them because the whole package is built.
    .testTarget(
      name: "DropInTests",
      dependencies: ["StockScenarios", "OnlyDispatch", "OnlyFoundation", "OnlyTasks"],
      swiftSettings: settings),
  ]
)
