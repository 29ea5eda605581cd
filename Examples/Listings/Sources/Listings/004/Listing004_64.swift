import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_64 = Listing(
    "004-64", heading: "Using NSConditionLock",
    shows: "producer and consumer on one condition lock",
    outcome: "a consumer takes only if there are messages; no thread adds in that time",
    truth:
      "the producer never waits, so the queue grows without limit; a condition for the "
      + "producer repairs this",
    rows: ["L3"]
  ) { story in
    // The printed pair, for a thousand messages in place of forever.
    let queue = Document004.MessageQueue()
    let consumer = JoinableThread { (0..<1_000).map { _ in queue.consumeMessage() } }
    consumer.start()
    for message in 0..<1_000 { queue.produceMessage(message) }
    story.check(
      consumer.join(), is: Array(0..<1_000), "every message is taken, in the order produced")
    story.check(queue.condition, is: Document004.MessageQueue.noMessages, "then there are none")
    story.check(
      queue.consumeMessage(before: Date(timeIntervalSinceNow: 0.01)) == nil,
      "who waits for one no longer than a date gets none")

    // Contended: two producers, two consumers.
    let shared = Document004.MessageQueue()
    let producers = (0..<2).map { number in
      JoinableThread {
        for message in 0..<2_000 { shared.produceMessage(number * 10_000 + message) }
      }
    }
    let consumers = (0..<2).map { _ in
      JoinableThread { (0..<2_000).map { _ in shared.consumeMessage() } }
    }
    for thread in consumers { thread.start() }
    for thread in producers { thread.start() }
    for thread in producers { thread.join() }
    let taken = consumers.map { $0.join() }
    story.check(
      taken.flatMap { $0 }.sorted(), is: Array(0..<2_000) + Array(10_000..<12_000),
      "with two of each every message is taken once")
    let isOrdered = taken.allSatisfy { messages in
      [0, 1].allSatisfy { number in
        let own = messages.filter { $0 / 10_000 == number }
        return own == own.sorted()
      }
    }
    story.check(isOrdered, "each consumer sees each producer's messages in their order")

    // The fault: a producer that nobody keeps up with.
    let growing = Document004.MessageQueue()
    for message in 0..<1_000 { growing.produceMessage(message) }
    story.check(growing.longest, is: 1_000, "the fault: without a consumer the queue only grows")

    let bounded = Document004.MessageQueue()
    let slow = JoinableThread { (0..<1_000).map { _ in bounded.consumeMessage() } }
    slow.start()
    for message in 0..<1_000 { bounded.produceMessageWhenEmpty(message) }
    story.check(
      slow.join(), is: Array(0..<1_000),
      "the repair: a producer that waits until there are none still gets every message across")
    story.check(bounded.longest, is: 1, "and the queue stays short")
  }
}

extension Document004 {
  final class MessageQueue: @unchecked Sendable {
    // SAFETY: `messageQueue` and `length` are touched with the lock held only.
    static let hasMessages = 1
    static let noMessages = 0

    private let nsConditionLock = NSConditionLock(condition: noMessages)
    private var messageQueue: [Int] = []
    private var length = 0

    var condition: Int { nsConditionLock.condition }

    /// The most messages there were.
    var longest: Int { nsConditionLock.withLock { length } }

    func produceMessage(_ message: Int) {
      nsConditionLock.lock()
      append(message)
    }

    /// Repaired: the producer has a condition, too.
    func produceMessageWhenEmpty(_ message: Int) {
      nsConditionLock.lock(whenCondition: Self.noMessages)
      append(message)
    }

    func consumeMessage() -> Int {
      nsConditionLock.lock(whenCondition: Self.hasMessages)
      return removeFirst()
    }

    func consumeMessage(before limit: Date) -> Int? {
      guard nsConditionLock.lock(whenCondition: Self.hasMessages, before: limit) else { return nil }
      return removeFirst()
    }

    /// With the lock held, which it leaves.
    private func append(_ message: Int) {
      messageQueue.append(message)
      length = max(length, messageQueue.count)
      nsConditionLock.unlock(withCondition: Self.hasMessages)
    }

    /// With the lock held, which it leaves.
    private func removeFirst() -> Int {
      let message = messageQueue.removeFirst()
      nsConditionLock.unlock(
        withCondition: messageQueue.isEmpty ? Self.noMessages : Self.hasMessages)
      return message
    }
  }
}
