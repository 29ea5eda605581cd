// swift-tools-version: 6.3
import PackageDescription

/// Settings of every Swift target. Each says what it is for; none is unsafe.
let settings: [SwiftSetting] = [
  // Data races are errors.
  .swiftLanguageMode(.v6),
  // An import is an implementation detail unless it says `public` or `package`.
  .enableUpcomingFeature("InternalImportsByDefault"),
  // `any` is written where a value is boxed.
  .enableUpcomingFeature("ExistentialAny"),
]

/// The only products of the package beside us that anything here imports.
let dispatch = Target.Dependency.product(name: "SignalboxDispatch", package: "Signalbox")
let trace = Target.Dependency.product(name: "SignalboxTrace", package: "Signalbox")

let package = Package(
  name: "GooglyPuff",
  products: [.executable(name: "GooglyPuff", targets: ["GooglyPuff"])],
  dependencies: [.package(name: "Signalbox", path: "../..")],
  targets: [
    // Each foreign library stands behind one small target with a C interface.
    .target(
      name: "CFaces",
      // dlib checks every matrix access unless told not to.
      cxxSettings: [.define("NDEBUG")],
      linkerSettings: [.linkedLibrary("dlib"), .linkedLibrary("lapack"), .linkedLibrary("blas")]),
    .target(
      name: "CPictures",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]),
    .target(name: "CTransfers", linkerSettings: [.linkedLibrary("curl")]),
    // The bundled photos, as bytes.
    .target(name: "CSamples"),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),

    .target(
      name: "GooglyPhotos",
      dependencies: ["CFaces", "CPictures", "CSamples", "CTransfers", "CCairo", dispatch, trace],
      swiftSettings: settings),
    .target(name: "CServer", linkerSettings: [.linkedLibrary("microhttpd")]),
    // The files of the app's page, as bytes.
    .target(name: "GooglyPage", exclude: ["Page"]),
    .target(
      name: "GooglyServer",
      dependencies: ["GooglyPhotos", "GooglyPage", "CServer", dispatch, trace],
      swiftSettings: settings),
    .executableTarget(
      name: "GooglyPuff", dependencies: ["GooglyPhotos", "GooglyServer", dispatch],
      swiftSettings: settings),

    // Works on a huge photo and tells how long the main queue was kept.
    .executableTarget(
      name: "MainQueueWitness", dependencies: ["GooglyPhotos", dispatch],
      path: "Tests/MainQueueWitness", swiftSettings: settings),
    .testTarget(
      name: "GooglyPhotosTests",
      dependencies: ["GooglyPhotos", "GooglyPuff", "MainQueueWitness", dispatch],
      swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
