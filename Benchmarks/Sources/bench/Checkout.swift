import Foundation

/// Where the files are that the driver keeps up to date.
enum Checkout {
  private static let benchmarks = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let results = benchmarks.appendingPathComponent("Results")
  static let readme = benchmarks.deletingLastPathComponent().appendingPathComponent("README.md")
}
