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
  // Each product brings SignalboxTrace: what the environment asks to be recorded or reported is,
  // whatever a program imports.
  products: [
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
  ],
  targets: [
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
    + [
      "SignalboxTestSupportTests", "SignalboxRuntimeTests", "SignalboxDispatchTests", "LocksTests",
      "ThreadsTests", "RunLoopTests", "OperationsTests", "TraceTests", "PatternsTests",
      "ConcurrencyTests",
      "ConformanceTests",
      "DefectTests",
      "CrashTests", "CostTests", "StressTests",
    ].map { name in
      .testTarget(
        name: name,
        dependencies: [
          "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
          "SignalboxOperations", "SignalboxPatterns",
          "SignalboxTrace", "SignalboxDiagnostics", "SignalboxRuntime", "CSignalbox",
          "SignalboxTestSupport", "CountedFacts", "HandOffs", "CSystemCalls",
        ] + (name == "DefectTests" ? ["SignalboxFoundation", "AsyncMainFacts"] : [])
          + (["ConcurrencyTests", "CrashTests"].contains(name) ? ["SignalboxConcurrency"] : [])
          + (name == "ConcurrencyTests"
            ? ["ConcurrencyScenarios", "ConcurrencyFacts", "AsyncMainFacts"] : [])
          + (name == "TraceTests" ? ["TraceFacts", "signalbox-trace"] : []),
        swiftSettings: settings)
    }
    // The replacements' tests, once more as Swift 5, from the same files.
    + [("", settings), ("InSwift5", [.swiftLanguageMode(.v5)])].flatMap { suffix, settings in
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
    + [
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
)

#if canImport(Darwin)
  // On Apple's systems a product gives the system's module of its purpose, so that one import
  // line serves both. What goes beyond these is not there. It cannot be tried on Linux.
  let ofTheSystem = [
    "SignalboxDispatch", "SignalboxLocks", "SignalboxThreads", "SignalboxRunLoop",
    "SignalboxOperations", "Signalbox", "SignalboxFoundation", "SignalboxFoundationNetworking",
    "SignalboxXCTest",
  ]
  package.products = ofTheSystem.map { .library(name: $0, targets: [$0]) }
  package.targets = ofTheSystem.map {
    .target(name: $0, path: "Sources/Apple/\($0)", swiftSettings: settings)
  }
#endif
