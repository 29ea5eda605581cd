import BenchmarkRecord
import BenchmarkReport
import Foundation

/// The rows of a program that is not rebuilt: the toolchain's overlay, Foundation and Swift's tasks
/// on our libdispatch.so.
enum DropIn {
  /// What each row has to reach.
  private static let goals: [String: Goal] = [
    "serial-async-int": .ratio(0.60, required: true),
    "group-async": .ratio(0.60, required: true),
    "serial-sync": .ratio(0.35, required: true),
    "hop": .ratio(0.30, required: false),
    "two-producers": .ratio(0.30, required: false),
    "handed-pieces": Goal.none,
    "async-after-cancelled": .ratio(0.50, required: false),
    "task-spawn": .ratio(0.70, required: true),
    "task-group": .ratio(0.80, required: true),
    "main-actor-hop": .ratio(0.60, required: true),
    "operation-queue": .ratio(0.80, required: false),
    "io-file-read": .ratio(0.50, required: false),
    "pipe-ping-pong": .ratio(0.40, required: false),
    "blocked-items": .value(20),
  ]

  static var subjects: Set<String> { Set(goals.keys) }

  /// The rows with their goals in this place. What is measured beside a row has none.
  static func judged(_ comparisons: [Comparison]) -> [Comparison] {
    comparisons.map { row in
      var row = row
      row.goal = goals[row.name] ?? .none
      return row
    }
  }

  /// Where the library is.
  static func folder() throws -> String {
    let library = Checkout.dropIn.appendingPathComponent("libdispatch.so")
    guard FileManager.default.fileExists(atPath: library.path) else {
      throw Program.Failure(description: "\(library.path) is not built: make drop-in")
    }
    return Checkout.dropIn.path
  }
}
