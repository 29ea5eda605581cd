// swift-tools-version: 6.2
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

/// Each product brings SignalboxTrace: what the environment asks to be recorded or reported is,
/// whatever a program imports. Only SignalboxCore does not, for programs whose size counts.
let products: [Product] = [
  .library(name: "SignalboxCore", targets: ["SignalboxDispatch"]),
  .library(name: "SignalboxDispatch", targets: ["SignalboxDispatch", "SignalboxTrace"]),
  .library(name: "SignalboxLocks", targets: ["SignalboxLocks", "SignalboxTrace"]),
  .library(name: "SignalboxThreads", targets: ["SignalboxThreads", "SignalboxTrace"]),
  .library(name: "SignalboxRunLoop", targets: ["SignalboxRunLoop", "SignalboxTrace"]),
  .library(name: "SignalboxOperations", targets: ["SignalboxOperations", "SignalboxTrace"]),
  .library(name: "SignalboxPatterns", targets: ["SignalboxPatterns", "SignalboxTrace"]),
  .library(name: "SignalboxTrace", targets: ["SignalboxTrace"]),
  .executable(name: "signalbox", targets: ["signalbox"]),
  .executable(name: "signalbox-trace", targets: ["signalbox-trace"]),
  .library(name: "Signalbox", targets: ["Signalbox"]),
  .library(name: "SignalboxConcurrency", targets: ["SignalboxConcurrency", "SignalboxTrace"]),
  .library(name: "SignalboxFoundation", targets: ["SignalboxFoundation"]),
  .library(name: "SignalboxFoundationNetworking", targets: ["SignalboxFoundationNetworking"]),
  .library(name: "SignalboxXCTest", targets: ["SignalboxXCTest"]),
  .library(name: "SignalboxDropIn", targets: ["SignalboxDropIn", "SignalboxTrace"]),
  .library(name: "SignalboxBridges", targets: ["SignalboxBridges", "SignalboxTrace"]),
]

let library: [Target] = [
  .target(name: "CSignalbox"),
  .target(name: "CSignalboxPage"),
  .target(name: "SignalboxRuntime", dependencies: ["CSignalbox"], swiftSettings: settings),
  .target(
    name: "SignalboxDiagnostics", dependencies: ["SignalboxRuntime", "CSignalbox"],
    swiftSettings: settings),
  .target(
    name: "SignalboxLocks",
    dependencies: ["SignalboxDiagnostics", "SignalboxRuntime", "CSignalbox"],
    swiftSettings: settings),
  .target(
    name: "SignalboxDispatch", dependencies: ["SignalboxDiagnostics", "SignalboxRuntime"],
    swiftSettings: settings),
  .target(
    name: "SignalboxThreads",
    dependencies: ["SignalboxLocks", "SignalboxDispatch", "SignalboxRuntime"],
    swiftSettings: settings),
  .target(
    name: "SignalboxRunLoop",
    dependencies: [
      "SignalboxThreads", "SignalboxLocks", "SignalboxDispatch", "SignalboxDiagnostics",
      "SignalboxRuntime",
    ],
    swiftSettings: settings),
  .target(
    name: "SignalboxOperations",
    dependencies: [
      "SignalboxRunLoop", "SignalboxThreads", "SignalboxLocks", "SignalboxDispatch",
      "SignalboxDiagnostics", "SignalboxRuntime",
    ],
    swiftSettings: settings),
  .target(
    name: "SignalboxPatterns", dependencies: ["SignalboxDispatch", "SignalboxRuntime"],
    swiftSettings: settings),
  .target(
    // No more than that: `SignalboxDispatch` is to bring nothing else.
    name: "SignalboxTrace",
    dependencies: [
      "SignalboxDispatch", "SignalboxDiagnostics", "SignalboxRuntime", "CSignalbox",
      "CSignalboxPage",
    ],
    // CSignalboxPage takes them in.
    exclude: ["Timeline/Page"],
    swiftSettings: settings),
  // It starts other programs, and has no engine of its own.
  .target(name: "CSignalboxTool"),
  .target(
    // It reads other processes, and so knows the engine only by what is in their memory.
    name: "SignalboxInspector", dependencies: ["CSignalboxTool"], swiftSettings: settings),
  .executableTarget(
    name: "signalbox", dependencies: ["SignalboxInspector", "CSignalboxTool"],
    swiftSettings: settings),
  .executableTarget(
    name: "signalbox-trace", dependencies: ["SignalboxTrace"],
    swiftSettings: settings),
  .target(
    name: "Signalbox",
    dependencies: [
      "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
      "SignalboxOperations", "SignalboxPatterns",
      "SignalboxTrace",
    ],
    swiftSettings: settings),
  .target(
    name: "SignalboxConcurrency",
    dependencies: ["SignalboxDispatch", "SignalboxRuntime", "CSignalbox"],
    swiftSettings: settings),
  .target(
    name: "SignalboxFoundation",
    dependencies: [
      "Signalbox", "SignalboxOperations", "SignalboxRunLoop", "SignalboxThreads",
      "SignalboxLocks", "SignalboxDispatch", "SignalboxDiagnostics", "SignalboxRuntime",
      "CSignalbox",
    ],
    swiftSettings: settings),
  .target(
    name: "SignalboxFoundationNetworking", dependencies: ["SignalboxFoundation"],
    swiftSettings: settings),
  .target(
    name: "SignalboxXCTest", dependencies: ["SignalboxFoundation"], swiftSettings: settings),
  .target(
    name: "CSignalboxDropIn", dependencies: ["CSignalbox"],
    linkerSettings: [
      .linkedLibrary("BlocksRuntime"),
      // The names that this library defines as well are the ones that a program shows to
      // the libraries which it loads.
      .linkedLibrary("dispatch"),
    ]),
  .target(
    name: "SignalboxDropIn",
    dependencies: ["SignalboxDispatch", "SignalboxRuntime", "CSignalbox", "CSignalboxDropIn"],
    swiftSettings: settings),
  .target(
    // Apart, because the toolchain's module for Swift is beneath it.
    name: "SignalboxBridges",
    dependencies: ["SignalboxDropIn", "SignalboxDispatch", "SignalboxRuntime"],
    swiftSettings: settings),
]

/// What the tests share, and the programs that they run.
let testPrograms: [Target] = [
  .target(
    name: "SignalboxTestSupport",
    dependencies: [
      "SignalboxRunLoop", "SignalboxDispatch", "SignalboxDiagnostics", "SignalboxRuntime",
      "CSignalbox", "CSystemCalls", "ProgramScenarios",
    ],
    path: "Tests/SignalboxTestSupport", swiftSettings: settings),
  .target(
    name: "ProgramScenarios", path: "Tests/ProgramScenarios", swiftSettings: settings),
  .target(name: "CSystemCalls", path: "Tests/CSystemCalls"),
  .target(
    name: "CSlowOnce", path: "Tests/CSlowOnce", linkerSettings: [.linkedLibrary("dl")]),
  .executableTarget(
    name: "CountedFacts",
    dependencies: [
      "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
      "SignalboxOperations", "SignalboxTrace", "SignalboxConcurrency", "SignalboxDiagnostics",
      "SignalboxRuntime", "CSignalbox", "CSystemCalls", "CSlowOnce", "ProgramScenarios",
    ],
    path: "Tests/CountedFacts", swiftSettings: settings),
  .executableTarget(
    name: "TraceFacts",
    dependencies: [
      "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
      "SignalboxOperations", "SignalboxConcurrency", "SignalboxTrace", "SignalboxDiagnostics",
      "SignalboxRuntime", "CSignalbox", "CSystemCalls",
    ],
    path: "Tests/TraceFacts", swiftSettings: settings),
  .executableTarget(
    name: "HandOffs",
    dependencies: [
      "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
      "SignalboxOperations", "SignalboxPatterns",
      "SignalboxTrace", "SignalboxDiagnostics", "SignalboxRuntime", "CSignalbox",
    ],
    path: "Tests/HandOffs", swiftSettings: settings),
  .executableTarget(
    name: "FoundationFacts",
    dependencies: ["SignalboxFoundation", "SignalboxRunLoop", "SignalboxDispatch"],
    path: "Tests/FoundationFacts", swiftSettings: settings),
  .target(
    name: "ConcurrencyScenarios", path: "Tests/ConcurrencyScenarios", swiftSettings: settings),
  .target(name: "CCountedAllocations", path: "Tests/CCountedAllocations"),
  .executableTarget(
    name: "ConcurrencyFacts",
    dependencies: [
      "SignalboxConcurrency", "SignalboxRunLoop", "SignalboxDispatch", "ConcurrencyScenarios",
      "CCountedAllocations", "CSystemCalls",
    ],
    path: "Tests/ConcurrencyFacts", swiftSettings: settings),
  .executableTarget(
    name: "AsyncMainFacts",
    dependencies: [
      "CSignalbox", "SignalboxRuntime", "SignalboxConcurrency", "SignalboxDispatch",
      "SignalboxRunLoop", "ConcurrencyScenarios",
    ],
    path: "Tests/AsyncMainFacts", swiftSettings: settings),
  .executableTarget(
    name: "ArticleProgram",
    dependencies: [
      "SignalboxConcurrency", "SignalboxDispatch", "SignalboxLocks", "SignalboxPatterns",
      "SignalboxThreads", "SignalboxTrace",
    ],
    path: "Tests/ArticleProgram", swiftSettings: settings),
]

/// The library's tests. Those of crashes run in processes of their own and pass values to them, which
/// needs Swift 6.3.
var libraryTestNames: [String] = [
  "SignalboxTestSupportTests", "SignalboxRuntimeTests", "SignalboxDispatchTests", "LocksTests",
  "ThreadsTests", "RunLoopTests", "OperationsTests", "TraceTests", "PatternsTests",
  "ConcurrencyTests", "ConformanceTests", "DefectTests", "CostTests", "StressTests",
]
#if compiler(>=6.3)
  libraryTestNames.append("CrashTests")
#endif

/// What all of them use, and some besides.
let tested: [Target.Dependency] = [
  "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
  "SignalboxOperations", "SignalboxPatterns", "SignalboxTrace", "SignalboxDiagnostics",
  "SignalboxRuntime", "CSignalbox", "SignalboxTestSupport", "CountedFacts", "HandOffs",
  "CSystemCalls",
]
let testedBesides: [String: [Target.Dependency]] = [
  "ConcurrencyTests": [
    "SignalboxConcurrency", "ConcurrencyScenarios", "ConcurrencyFacts", "AsyncMainFacts",
  ],
  "CrashTests": ["SignalboxConcurrency"],
  "DefectTests": ["SignalboxFoundation", "AsyncMainFacts"],
  "TraceTests": ["TraceFacts", "signalbox-trace"],
]

let libraryTests: [Target] = libraryTestNames.map { name in
  .testTarget(
    name: name, dependencies: tested + (testedBesides[name] ?? []), swiftSettings: settings)
}

/// The replacements' tests, once more as Swift 5, from the same files.
let replacementTests: [Target] = [("", settings), ("InSwift5", [.swiftLanguageMode(.v5)])].flatMap {
  suffix, settings in
  [
    .testTarget(
      name: "FoundationTests\(suffix)",
      dependencies: [
        "SignalboxFoundation", "SignalboxFoundationNetworking", "SignalboxTestSupport",
        "FoundationFacts",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "XCTestTests\(suffix)", dependencies: ["SignalboxXCTest"],
      swiftSettings: settings),
  ]
}

let toolTests: [Target] = [
  .testTarget(
    name: "ToolTests",
    dependencies: ["signalbox", "CountedFacts", "AsyncMainFacts", "SignalboxTestSupport"],
    swiftSettings: settings),
  .testTarget(
    name: "InspectorTests",
    dependencies: [
      "SignalboxInspector", "signalbox", "signalbox-trace", "CountedFacts", "ConcurrencyFacts",
      "SignalboxTrace", "SignalboxRuntime", "CSignalbox", "SignalboxTestSupport",
    ],
    swiftSettings: settings),
  .testTarget(
    name: "ArticleTests",
    dependencies: [
      "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
      "SignalboxOperations", "SignalboxPatterns", "SignalboxTrace", "SignalboxConcurrency",
      "SignalboxTestSupport", "ArticleProgram", "signalbox",
    ],
    swiftSettings: settings),
]

let package = Package(
  name: "Signalbox", products: products,
  targets: library + testPrograms + libraryTests + replacementTests + toolTests)
