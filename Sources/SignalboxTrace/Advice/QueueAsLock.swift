// QueueAsLock — a queue that only keeps threads apart, for sections that a lock would guard.

enum QueueAsLock: AdviceRule {
  /// Fewer calls are no habit, and cost nothing that anybody would notice.
  static let leastCalls = 1000
  /// Nine of ten: a queue with more work of its own than that has a reason to be one.
  static let leastShare = (of: 9, in: 10)
  /// About what it takes to send a thread to sleep and to wake it, in nanoseconds. Whoever finds
  /// a shorter section taken has waited less long, looking, than sleeping costs: a lock does that.
  static let shortSection: AdviceScene.Time = 5000

  static func look(at scene: AdviceScene) -> [Advice] {
    scene.story.queues.indices.compactMap { look(at: $0, in: scene) }
  }

  private static func look(at queue: Int, in scene: AdviceScene) -> Advice? {
    let kind = scene.kind(of: queue)
    guard kind != .main && kind != .global else { return nil }
    let items = scene.items(of: queue)
    let calls = items.filter { scene.isSync($0) }
    guard calls.count >= leastCalls,
      calls.count * leastShare.in >= items.count * leastShare.of
    else { return nil }
    let sections = Distribution(calls.compactMap { scene.running($0) })
    guard sections.count > 0, sections.median <= shortSection else { return nil }
    let waited = calls.reduce(AdviceScene.Time(0)) { sum, call in
      let (called, started) = (scene.story.items.submitted[call], scene.story.items.started[call])
      return called >= 0 && started >= 0 ? sum.addedOrHalf(started - called) : sum
    }
    return Advice(
      kind: .queueAsLock, queue: scene.label(AdviceScene.Index(queue)), thread: "",
      count: calls.count, nanoseconds: waited,
      finding: "\(calls.count) of the \(items.count) items of \(scene.words(queue: queue)) were "
        + "calls of sync, and half of them ran for \(DurationText.text(sections.median)) or "
        + "less",
      remedy: "protect the data with a lock (OSAllocatedUnfairLock or NSLock), which costs a "
        + "fraction of a sync",
      places: scene.places(ofItems: calls))
  }
}
