// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Sums",
  products: [.executable(name: "sums", targets: ["sums"])],
  targets: [
    .target(name: "Sums"),
    .executableTarget(name: "sums", dependencies: ["Sums"], path: "Sources/sums-tool"),
    .testTarget(name: "SumsTests", dependencies: ["Sums"]),
  ]
)
