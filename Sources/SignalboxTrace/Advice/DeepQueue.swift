// DeepQueue — many items that wait in one queue, all from one producer that
// nothing slows down.

enum DeepQueue: AdviceRule {
  typealias Time = AdviceScene.Time

  /// A waiting item keeps its memory and its captures alive, and every later
  /// item waits for it. A shorter queue empties before you would notice it.
  static let leastDepth = 1000
  /// Nine of ten: a few items from other producers do not cause the depth.
  static let leastShare = (of: 9, in: 10)

  /// A sequential source of submissions.
  private enum Producer: Hashable {
    case thread(AdviceScene.Index)
    /// The items of a serial queue, which run one after the other.
    case queue(AdviceScene.Index)
    case item(AdviceScene.Index)
  }

  static func look(at scene: AdviceScene) -> [Advice] {
    scene.story.queues.indices.compactMap { look(at: $0, in: scene) }
  }

  private static func look(at queue: Int, in scene: AdviceScene) -> Advice? {
    guard scene.itemCount(of: queue) >= leastDepth else { return nil }
    let items = scene.items(of: queue).filter {
      scene.isSubmitted($0) && scene.submitted($0) >= 0
    }
    guard items.count >= leastDepth else { return nil }
    let depth = greatestDepth(items, scene)
    guard depth >= leastDepth else { return nil }
    var counts: [Producer: Int] = [:]
    // Usually one producer submits many items in a row.
    var (last, inARow) = (producer(of: items[0], scene), 0)
    for item in items {
      let producer = producer(of: item, scene)
      if producer != last {
        counts[last, default: 0] += inARow
        (last, inARow) = (producer, 0)
      }
      inARow += 1
    }
    counts[last, default: 0] += inARow
    guard let (producer, count) = counts.max(by: { $0.value < $1.value }),
      count * leastShare.in >= items.count * leastShare.of
    else { return nil }
    let waited = Distribution(items.map { scene.waiting($0) })
    let thread: String =
      if case .thread(let index) = producer { scene.story.threadName(index) } else { "" }
    return Advice(
      kind: .deepQueue, queue: scene.label(AdviceScene.Index(queue)), thread: thread, count: depth,
      nanoseconds: waited.longest,
      finding: "\(depth) items waited in \(scene.words(queue: queue)) at once, the longest for "
        + "\(DurationText.text(waited.longest)); \(count) of its \(items.count) items were "
        + "submitted by "
        + words(producer, scene),
      remedy: "make the producer wait for the consumer, for example with a semaphore that limits "
        + "the items under way, or go through the work with concurrentPerform",
      places: scene.places(ofItems: items))
  }

  private static func producer(of item: Int, _ scene: AdviceScene) -> Producer {
    let within = scene.items.within[item]
    guard within >= 0 else { return .thread(scene.items.submitter[item]) }
    let queue = scene.items.queue[Int(within)]
    let kind = scene.kind(of: Int(queue))
    return kind == .serial || kind == .main || kind == .workloop ? .queue(queue) : .item(within)
  }

  private static func words(_ producer: Producer, _ scene: AdviceScene) -> String {
    switch producer {
    case .thread(let thread): scene.story.quotedThread(thread)
    case .queue(let queue): "items of \(scene.words(queue: Int(queue)))"
    case .item(let item):
      "one item of \(scene.words(queue: Int(scene.items.queue[Int(item)])))"
    }
  }

  private static func greatestDepth(_ items: [Int], _ scene: AdviceScene) -> Int {
    let isUnsure: TraceStory.ItemFlags = [.isCut, .isLikely]
    let known = items.filter { !scene.isAny(isUnsure, of: $0) }
    return TraceStory.greatestDepth(
      known.map { scene.submitted($0) }, known.map { scene.started($0) }.filter { $0 >= 0 })
  }
}
