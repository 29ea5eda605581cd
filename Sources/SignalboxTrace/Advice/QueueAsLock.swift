// QueueAsLock — a queue that serves only as a lock around short sections.

enum QueueAsLock: AdviceRule {
  /// Fewer calls are not a habit, and their cost is not noticeable.
  static let leastCalls = 1000
  /// Nine out of ten: a queue with more work of its own has a reason to be a queue.
  static let leastShare = (of: 9, in: 10)
  /// About the time that it takes to put a thread to sleep and wake it, in
  /// nanoseconds. If a section is shorter than this, a waiting thread waits
  /// less by spinning than by sleeping; and a lock spins.
  static let shortSection: AdviceInput.Time = 5000

  static func look(at input: AdviceInput) -> [Advice] {
    input.trace.queues.indices.compactMap { look(at: $0, in: input) }
  }

  private static func look(at queue: Int, in input: AdviceInput) -> Advice? {
    let kind = input.kind(of: queue)
    guard kind != .main && kind != .global, input.itemCount(of: queue) >= leastCalls
    else { return nil }
    let items = input.items(of: queue)
    let calls = items.filter { input.isSync($0) }
    guard calls.count >= leastCalls,
      calls.count * leastShare.in >= items.count * leastShare.of
    else { return nil }
    let sections = Distribution(calls.compactMap { input.running($0) })
    guard sections.count > 0, sections.median <= shortSection else { return nil }
    let waited = calls.reduce(AdviceInput.Time(0)) { sum, call in
      let (called, started) = (input.submitted(call), input.started(call))
      return called >= 0 && started >= 0 ? sum.addedOrHalf(started - called) : sum
    }
    return Advice(
      kind: .queueAsLock, queue: input.label(AdviceInput.Index(queue)), thread: "",
      count: calls.count, nanoseconds: waited,
      finding: "\(calls.count) of the \(items.count) items of \(input.words(queue: queue)) were "
        + "calls of sync, and half of them ran for \(DurationText.text(sections.median)) or "
        + "less",
      remedy: "protect the data with a lock (OSAllocatedUnfairLock or NSLock), which costs a "
        + "fraction of a sync",
      places: input.places(ofItems: calls))
  }
}
