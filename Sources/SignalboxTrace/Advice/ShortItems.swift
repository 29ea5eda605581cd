// ShortItems — items that run for less time than it takes to hand them over.

enum ShortItems: AdviceRule {
  typealias Time = AdviceScene.Time

  /// Fewer are no habit.
  static let leastHandOffs = 1000
  /// Half of all: where most items find others before them, one hand-off serves many.
  static let leastShare = (of: 1, in: 2)
  /// What the hand-offs together must take of the time between the first and the last: below a
  /// hundredth nobody is held up by them, as by events that come now and then.
  static let leastTime = (of: Time(1), in: Time(100))

  static func look(at scene: AdviceScene) -> [Advice] {
    scene.story.queues.indices.compactMap { look(at: $0, in: scene) }
  }

  private static func look(at queue: Int, in scene: AdviceScene) -> Advice? {
    // An item on the main queue is short as it should be, and has to be there.
    guard scene.kind(of: queue) != .main else { return nil }
    let all = scene.items(of: queue)
    let submitted = all.filter { scene.isSubmitted($0) }
    guard submitted.count >= leastHandOffs else { return nil }
    let handedOver = handedOver(all, scene)
    guard handedOver.count >= leastHandOffs,
      handedOver.count * leastShare.in >= submitted.count * leastShare.of
    else { return nil }
    let items = scene.story.items
    let handOff = Distribution(handedOver.map { items.started[$0] - items.submitted[$0] })
    let running = Distribution(submitted.compactMap { scene.running($0) })
    guard running.count > 0, running.median < handOff.median else { return nil }
    let first = handedOver.map { items.submitted[$0] }.min() ?? 0
    let last = handedOver.map { items.started[$0] }.max() ?? 0
    guard handOff.total.multipliedOrHalf(leastTime.in) >= (last - first) * leastTime.of else {
      return nil
    }
    return Advice(
      kind: .shortItems, queue: scene.label(AdviceScene.Index(queue)), thread: "",
      count: handedOver.count, nanoseconds: handOff.total,
      finding: "\(handedOver.count) items were handed to \(scene.words(queue: queue)) while it "
        + "was idle: half of its items ran for \(DurationText.text(running.median)) or "
        + "less, and half of the hand-offs took \(DurationText.text(handOff.median)) or more",
      remedy: "put more work into each item, or do the work directly where it is submitted",
      places: scene.places(ofItems: handedOver))
  }

  /// The items before which none of the queue waited or ran.
  private static func handedOver(_ all: [Int], _ scene: AdviceScene) -> [Int] {
    let items = scene.story.items
    // From when on it is known to have been there.
    func came(_ item: Int) -> Time {
      items.submitted[item] >= 0 ? items.submitted[item] : items.started[item]
    }
    var found: [Int] = []
    var busyUntil: Time = -1
    for item in all.sorted(by: { (came($0), $0) < (came($1), $1) }) {
      let isCertain =
        items.submitted[item] >= 0 && items.started[item] >= 0
        && !items.flags[item].contains(.isLikely)
      if scene.isSubmitted(item) && isCertain && items.submitted[item] >= busyUntil {
        found.append(item)
      }
      // One whose end was lost has ended, nobody knows when: it says nothing of later ones.
      if items.finished[item] < 0 && items.flags[item].contains(.isCut) { continue }
      busyUntil = max(busyUntil, items.finished[item] >= 0 ? items.finished[item] : Time.max)
    }
    return found
  }
}
