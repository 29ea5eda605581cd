// Transcript — lines in the order in which they happened, from any thread.

/// Stands in for the console of the documents, so that the order can be checked.
final class Transcript: Sendable {
  private let recorded = Cell<[String]>([])

  var lines: [String] { recorded.value }

  func append(_ line: String) { recorded.withValue { $0.append(line) } }
}
