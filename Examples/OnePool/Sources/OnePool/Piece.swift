// Piece — one stretch of computing: when it began and ended, on which thread, and when that
// thread had a core.

/// An item of a queue, or a job: what a task does between two suspensions.
struct Piece: Equatable, Sendable {
  enum Kind: String, Sendable { case item, job }

  /// In microseconds since the load began.
  struct Span: Equatable, Sendable {
    var start: Int
    var end: Int
  }

  let kind: Kind
  /// The thread's number and name, as the kernel has them.
  let thread: Int
  let name: String
  /// When the thread had a core. It waited for one in between.
  let onCore: [Span]

  var start: Int { onCore.first?.start ?? 0 }
  var end: Int { onCore.last?.end ?? 0 }

  // MARK: As a line

  var line: String {
    let spans = onCore.map { "\($0.start)-\($0.end)" }
    return "\(kind.rawValue)\t\(thread)\t\(name)\t\(spans.joined(separator: ","))"
  }

  init(kind: Kind, thread: Int, name: String, onCore: [Span]) {
    self.kind = kind
    self.thread = thread
    self.name = name
    self.onCore = onCore
  }

  /// - Returns: nil for a line that is not one of these.
  init?(line: some StringProtocol) {
    let words = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard words.count == 4, let kind = Kind(rawValue: String(words[0])), let thread = Int(words[1])
    else { return nil }
    var spans: [Span] = []
    for span in words[3].split(separator: ",") {
      let ends = span.split(separator: "-").compactMap { Int($0) }
      guard ends.count == 2 else { return nil }
      spans.append(Span(start: ends[0], end: ends[1]))
    }
    self.init(kind: kind, thread: thread, name: String(words[2]), onCore: spans)
  }
}
