// swift-tools-version: 6.3
import PackageDescription

/// The settings of the package this one shows: data races are errors, an import
/// is an implementation detail, `any` is written out.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The program as the documents begin it, and as each step leaves it; then the race of its
/// singleton, made wide enough to be seen, and its repair.
let programs = [
  "Starter", "Step1", "Step2", "Step3", "Step4", "Step5", "SingletonRace", "SingletonOnce",
]

let package = Package(
  name: "GooglySteps",
  dependencies: [
    // By name, so that the folder of the checkout may be called anything.
    .package(name: "Signalbox", path: "../..")
  ],
  targets: programs.map { program in
    .executableTarget(
      name: program, dependencies: [.product(name: "SignalboxDispatch", package: "Signalbox")],
      swiftSettings: settings)
  } + [
    .testTarget(
      name: "GooglyStepsTests", dependencies: programs.map { .byName(name: $0) },
      swiftSettings: settings)
  ]
)
