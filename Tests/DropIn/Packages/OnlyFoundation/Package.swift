// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OnlyFoundation",
  products: [.library(name: "OnlyFoundation", targets: ["OnlyFoundation"])],
  targets: [.target(name: "OnlyFoundation")]
)
