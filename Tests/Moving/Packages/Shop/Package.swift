// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(Context.environment["SHOP_MODE"] == "5" ? .v5 : .v6)
]

/// A package that says Foundation and Dispatch in many ways.
let package = Package(
  name: "Shop",
  products: [.library(name: "Store", targets: ["Store"])],
  dependencies: [
    .package(path: "../Web")
  ],
  targets: [
    .target(name: "Store", dependencies: [], swiftSettings: settings),
    .target(name: "Kitchen", dependencies: [], swiftSettings: settings),
    .executableTarget(
      name: "Shop",
      dependencies: [
        "Store", "Kitchen", .product(name: "Middleware", package: "Web"),
      ],
      swiftSettings: settings),
    .plugin(
      name: "Stamp", capability: .command(intent: .custom(verb: "stamp", description: "A stamp"))),
    .testTarget(name: "ShopTests", dependencies: ["Store"], swiftSettings: settings),
  ]
)
