// DeepQueue — many items that wait in one queue, all from one producer that
// nothing slows down.

enum DeepQueue: AdviceRule {
  typealias Time = AdviceInput.Time

  /// A waiting item keeps its memory and its captures alive, and every later
  /// item waits for it. A shorter queue empties before you would notice it.
  static let leastDepth = 1000
  /// Nine out of ten: a few items from other producers do not cause the depth.
  static let leastShare = (of: 9, in: 10)

  /// A sequential source of submissions.
  private enum Producer: Hashable {
    case thread(AdviceInput.Index)
    /// The items of a serial queue, which run one after the other.
    case queue(AdviceInput.Index)
    case item(AdviceInput.Index)
  }

  static func look(at input: AdviceInput) -> [Advice] {
    input.trace.queues.indices.compactMap { look(at: $0, in: input) }
  }

  private static func look(at queue: Int, in input: AdviceInput) -> Advice? {
    guard input.itemCount(of: queue) >= leastDepth else { return nil }
    let items = input.items(of: queue).filter {
      input.isSubmitted($0) && input.submitted($0) >= 0
    }
    guard items.count >= leastDepth else { return nil }
    let depth = greatestDepth(items, input)
    guard depth >= leastDepth else { return nil }
    var counts: [Producer: Int] = [:]
    // Usually one producer submits many items in a row.
    var (last, inARow) = (producer(of: items[0], input), 0)
    for item in items {
      let producer = producer(of: item, input)
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
    let waited = Distribution(items.map { input.waiting($0) })
    let thread: String =
      if case .thread(let index) = producer { input.trace.threadName(index) } else { "" }
    return Advice(
      kind: .deepQueue, queue: input.label(AdviceInput.Index(queue)), thread: thread, count: depth,
      nanoseconds: waited.longest,
      finding: "\(depth) items waited in \(input.words(queue: queue)) at once, the longest for "
        + "\(DurationText.text(waited.longest)); \(count) of its \(items.count) items were "
        + "submitted by "
        + words(producer, input),
      remedy: "make the producer wait for the consumer, for example with a semaphore that limits "
        + "the items under way, or go through the work with concurrentPerform",
      places: input.places(ofItems: items))
  }

  private static func producer(of item: Int, _ input: AdviceInput) -> Producer {
    let within = input.items.within[item]
    guard within >= 0 else { return .thread(input.items.submitter[item]) }
    let queue = input.items.queue[Int(within)]
    let kind = input.kind(of: Int(queue))
    return kind == .serial || kind == .main || kind == .workloop ? .queue(queue) : .item(within)
  }

  private static func words(_ producer: Producer, _ input: AdviceInput) -> String {
    switch producer {
    case .thread(let thread): input.trace.quotedThread(thread)
    case .queue(let queue): "items of \(input.words(queue: Int(queue)))"
    case .item(let item):
      "one item of \(input.words(queue: Int(input.items.queue[Int(item)])))"
    }
  }

  private static func greatestDepth(_ items: [Int], _ input: AdviceInput) -> Int {
    let isUnsure: TraceModel.ItemFlags = [.isTruncated, .isLikely]
    let known = items.filter { !input.isAny(isUnsure, of: $0) }
    return TraceModel.greatestDepth(
      known.map { input.submitted($0) }, known.map { input.started($0) }.filter { $0 >= 0 })
  }
}
