// swift-tools-version: 6.2
import PackageDescription

/// The same settings as the root package's, for the same reasons: data races
/// are errors, imports say how far they reach, and boxed values say `any`.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A program that runs the subjects. Both programs compile the very same files:
/// `Subjects` and `Measuring` are symbolic links in each target's folder, since
/// a package may not list one source file in two targets.
func subjects(_ name: String, against dispatch: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: ["CBenchmark", "BenchmarkRecord"] + dispatch, swiftSettings: settings)
}

let package = Package(
  name: "SignalboxBenchmarks",
  // The name is given because a checkout's folder may be called anything.
  dependencies: [.package(name: "Signalbox", path: "..")],
  targets: [
    .target(name: "CBenchmark"),
    .target(name: "BenchmarkRecord", swiftSettings: settings),
    .target(name: "BenchmarkReport", dependencies: ["BenchmarkRecord"], swiftSettings: settings),
    .executableTarget(
      name: "bench", dependencies: ["CBenchmark", "BenchmarkRecord", "BenchmarkReport"],
      swiftSettings: settings),
    subjects(
      "bench-signalbox",
      against: [
        "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
        "SignalboxOperations", "SignalboxPatterns", "SignalboxConcurrency", "SignalboxFoundation",
        "SignalboxTrace",
      ].map { .product(name: $0, package: "Signalbox") }),
    subjects("bench-toolchain", against: []),
    // See `Scripts/count-transfers`. Only the engine, the queues and the locks are built for it.
    .target(name: "CAccessCounts"),
    .executableTarget(
      name: "count-transfers",
      dependencies: ["CAccessCounts", "CBenchmark", "BenchmarkRecord"]
        + ["SignalboxDispatch", "SignalboxLocks"].map { .product(name: $0, package: "Signalbox") },
      swiftSettings: settings),
    // The same arrangement for the facts of `Documentation/Comparison.md`.
    .executableTarget(
      name: "defects-signalbox",
      dependencies: ["CBenchmark", .product(name: "SignalboxDispatch", package: "Signalbox")],
      swiftSettings: settings),
    .executableTarget(
      name: "defects-toolchain", dependencies: ["CBenchmark"], swiftSettings: settings),
    .testTarget(
      name: "BenchmarkReportTests", dependencies: ["BenchmarkRecord", "BenchmarkReport"],
      swiftSettings: settings),
  ]
)
