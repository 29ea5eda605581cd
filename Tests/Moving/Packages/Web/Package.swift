// swift-tools-version: 5.9
import PackageDescription

/// A dependency as large web frameworks are: it re-exports Foundation, and is never changed.
let package = Package(
  name: "Web",
  products: [
    .library(name: "Web", targets: ["Web"]),
    .library(name: "Middleware", targets: ["Middleware"]),
  ],
  targets: [.target(name: "Web"), .target(name: "Middleware", dependencies: ["Web"])]
)
