// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OnlyTasks",
  products: [.library(name: "OnlyTasks", targets: ["OnlyTasks"])],
  targets: [.target(name: "OnlyTasks")]
)
