// StallMark — waiting work of a process, and how far it has come.

/// Two equal marks at two moments mean that the work has made no progress in between.
package struct StallMark: Hashable {
  private let key: String
  /// What has not happened, to be followed by "for 10 s".
  package let words: String

  init(key: String, words: String) {
    self.key = key
    self.words = words
  }

  // MARK: On one line

  package init?(line: String) {
    guard let tab = line.firstIndex(of: "\t") else { return nil }
    self.init(key: String(line[..<tab]), words: String(line[line.index(after: tab)...]))
  }

  /// Labels have no tabs and no ends of lines: `DisplayText` escapes them.
  package var line: String { "\(key)\t\(words)" }
}

extension TargetReport {
  /// Empty if the process is stopped, as by SIGSTOP: then the lack of progress is intended.
  package var stallMarks: [StallMark] {
    if kernelThreads.contains(where: { $0.state == .stopped }) { return [] }
    return inspections.flatMap { inspection in
      inspection.cycles.map { StallMark($0) }
        + inspection.queueLines.compactMap { StallMark($0, inspection.queues) }
    }
  }
}

extension StallMark {
  /// Threads that wait for each other, in the waits in which they were found.
  fileprivate init(_ cycle: [CycleStep]) {
    let threads = cycle.map { "\($0.thread.number):\($0.thread.wait?.epoch ?? 0)" }.sorted()
    let numbers = cycle.map(\.thread.number).sorted().map { "\($0)" }
    let words =
      cycle.count == 1
      ? "thread \(numbers[0]) has waited for itself"
      : "the threads \(numbers.joined(separator: " and ")) have waited for each other"
    self.init(key: "cycle \(threads.joined(separator: " "))", words: words)
  }

  /// nil if no item waits in the queue, or none may run.
  fileprivate init?(_ line: SeenQueueLine, _ queues: [UInt64: SeenQueue]) {
    let queue = line.queue
    guard let counts = queue.counts, line.depth.number ?? 0 > 0 else { return nil }
    var next: SeenQueue? = queue
    for _ in 0..<Limits.chain {
      guard let one = next else { break }
      if one.state.isSuspended || one.state.isInactive { return nil }
      next = queues[one.target]
    }
    self.init(
      key: "queue \(queue.object) \(counts.runs) \(counts.turns)",
      words: "no item of the queue \(queue.quoted) has begun")
  }
}
