// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OnlyDispatch",
  products: [.library(name: "OnlyDispatch", targets: ["OnlyDispatch"])],
  targets: [.target(name: "OnlyDispatch")]
)
