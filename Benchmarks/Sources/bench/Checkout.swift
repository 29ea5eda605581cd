import Foundation

/// Where the files are that the driver keeps up to date.
enum Checkout {
  private static let benchmarks = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let results = benchmarks.appendingPathComponent("Results")
  static let readme = root.appendingPathComponent("README.md")
  static let speed = root.appendingPathComponent(speedPath)
  /// The tables of other machines than that of `speed`.
  static let speedElsewhere = root.appendingPathComponent("Documentation/SpeedElsewhere.md")
  /// As the README names it.
  static let speedPath = "Documentation/Speed.md"

  /// What `make drop-in` builds.
  static let dropIn = root.appendingPathComponent("out/drop-in/lib/signalbox")

  static let peersPage = root.appendingPathComponent("Documentation/Peers.md")
  /// What `Scripts/build-peers` builds.
  static let peers = benchmarks.appendingPathComponent(".build/peers")

  private static let root = benchmarks.deletingLastPathComponent()
}
