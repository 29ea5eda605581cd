// ShortItems — items that run for less time than their hand-off takes.

enum ShortItems: AdviceRule {
  typealias Time = AdviceInput.Time

  /// Fewer hand-offs are not a habit.
  static let leastHandOffs = 1000
  /// Half of all: if most items join a queue that is busy, one hand-off serves
  /// many items.
  static let leastShare = (of: 1, in: 2)
  /// The minimum share of the time between the first and the last hand-off that
  /// the hand-offs take. A share below a hundredth, as for occasional events,
  /// does not slow the program.
  static let leastTime = (of: Time(1), in: Time(100))

  static func look(at input: AdviceInput) -> [Advice] {
    input.trace.queues.indices.compactMap { look(at: $0, in: input) }
  }

  private static func look(at queue: Int, in input: AdviceInput) -> Advice? {
    // Items on the main queue should be short, and have to run there.
    guard input.kind(of: queue) != .main, input.itemCount(of: queue) >= leastHandOffs
    else { return nil }
    let all = input.items(of: queue)
    let submitted = all.filter { input.isSubmitted($0) }
    guard submitted.count >= leastHandOffs else { return nil }
    let handedOver = handedOver(all, input)
    guard handedOver.count >= leastHandOffs,
      handedOver.count * leastShare.in >= submitted.count * leastShare.of
    else { return nil }
    let handOff = Distribution(handedOver.map { input.started($0) - input.submitted($0) })
    let running = Distribution(submitted.compactMap { input.running($0) })
    guard running.count > 0, running.median < handOff.median else { return nil }
    let first = handedOver.map { input.submitted($0) }.min() ?? 0
    let last = handedOver.map { input.started($0) }.max() ?? 0
    guard handOff.total.multipliedOrHalf(leastTime.in) >= (last - first) * leastTime.of else {
      return nil
    }
    return Advice(
      kind: .shortItems, queue: input.label(AdviceInput.Index(queue)), thread: "",
      count: handedOver.count, nanoseconds: handOff.total,
      finding: "\(handedOver.count) items were handed to \(input.words(queue: queue)) while it "
        + "was idle: half of its items ran for \(DurationText.text(running.median)) or "
        + "less, and half of the hand-offs took \(DurationText.text(handOff.median)) or more",
      remedy: "put more work into each item, or do the work directly where it is submitted",
      places: input.places(ofItems: handedOver))
  }

  /// The items that were submitted while their queue was idle.
  private static func handedOver(_ all: [Int], _ input: AdviceInput) -> [Int] {
    // The first time at which the item is known to exist.
    let came = all.map { item in
      let submitted = input.submitted(item)
      return submitted >= 0 ? submitted : input.started(item)
    }
    var found: [Int] = []
    var busyUntil: Time = -1
    for index in came.indicesInOrder() {
      let item = all[index]
      let (submitted, finished) = (input.submitted(item), input.finished(item))
      if submitted >= 0 && submitted >= busyUntil && input.started(item) >= 0
        && input.isSubmitted(item) && !input.isAny(.isLikely, of: item)
      {
        found.append(item)
      }
      // An item whose end was lost did end, at an unknown time. It doesn't tell
      // when later items found the queue idle.
      if finished < 0 && input.isAny(.isTruncated, of: item) { continue }
      busyUntil = max(busyUntil, finished >= 0 ? finished : Time.max)
    }
    return found
  }
}
