// swift-tools-version: 6.3
import PackageDescription

/// Settings of every Swift target. Each says what it is for; none is unsafe,
/// because a package with unsafe flags cannot be depended upon.
let settings: [SwiftSetting] = [
  // Data races are errors.
  .swiftLanguageMode(.v6),
  // An import is an implementation detail unless it says `public` or `package`.
  .enableUpcomingFeature("InternalImportsByDefault"),
  // `any` is written where a value is boxed.
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "Signalbox",
  products: [
    .library(name: "SignalboxDispatch", targets: ["SignalboxDispatch"]),
    .library(name: "SignalboxLocks", targets: ["SignalboxLocks"]),
    .library(name: "SignalboxThreads", targets: ["SignalboxThreads"]),
    .library(name: "SignalboxRunLoop", targets: ["SignalboxRunLoop"]),
    .library(name: "SignalboxPatterns", targets: ["SignalboxPatterns"]),
    .library(name: "SignalboxTrace", targets: ["SignalboxTrace"]),
    .library(name: "Signalbox", targets: ["Signalbox"]),
  ],
  targets: [
    .target(name: "CSignalbox"),
    .target(name: "SignalboxRuntime", dependencies: ["CSignalbox"], swiftSettings: settings),
    .target(name: "SignalboxDispatch", dependencies: ["SignalboxRuntime"], swiftSettings: settings),
    .target(
      name: "SignalboxLocks", dependencies: ["SignalboxDispatch", "SignalboxRuntime"],
      swiftSettings: settings),
    .target(
      name: "SignalboxThreads",
      dependencies: ["SignalboxLocks", "SignalboxDispatch", "SignalboxRuntime"],
      swiftSettings: settings),
    .target(
      name: "SignalboxRunLoop",
      dependencies: [
        "SignalboxThreads", "SignalboxLocks", "SignalboxDispatch", "SignalboxRuntime",
      ],
      swiftSettings: settings),
    .target(
      name: "SignalboxPatterns", dependencies: ["SignalboxDispatch", "SignalboxRuntime"],
      swiftSettings: settings),
    .target(
      name: "SignalboxTrace",
      dependencies: [
        "SignalboxThreads", "SignalboxLocks", "SignalboxDispatch", "SignalboxRuntime",
      ],
      swiftSettings: settings),
    .target(
      name: "Signalbox",
      dependencies: [
        "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
        "SignalboxPatterns",
        "SignalboxTrace",
      ],
      swiftSettings: settings),

    .target(
      name: "SignalboxTestSupport",
      dependencies: [
        "SignalboxRunLoop", "SignalboxDispatch", "SignalboxRuntime", "CSignalbox", "CSystemCalls",
      ],
      path: "Tests/SignalboxTestSupport", swiftSettings: settings),
    .target(name: "CSystemCalls", path: "Tests/CSystemCalls"),
    .executableTarget(
      name: "CountedFacts",
      dependencies: [
        "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
        "SignalboxTrace", "SignalboxRuntime", "CSignalbox", "CSystemCalls",
      ],
      path: "Tests/CountedFacts", swiftSettings: settings),
    .executableTarget(
      name: "HandOffs",
      dependencies: [
        "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
        "SignalboxPatterns",
        "SignalboxRuntime",
      ],
      path: "Tests/HandOffs", swiftSettings: settings),
  ]
    + [
      "SignalboxTestSupportTests", "SignalboxRuntimeTests", "SignalboxDispatchTests", "LocksTests",
      "ThreadsTests", "RunLoopTests", "TraceTests", "PatternsTests", "ConformanceTests",
      "DefectTests",
      "CrashTests", "StressTests", "ModelTests",
    ].map { name in
      .testTarget(
        name: name,
        dependencies: [
          "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
          "SignalboxPatterns",
          "SignalboxTrace", "SignalboxRuntime", "CSignalbox", "SignalboxTestSupport",
          "CountedFacts", "HandOffs", "CSystemCalls",
        ],
        swiftSettings: settings)
    }
)
