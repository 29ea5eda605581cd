// PriorityInversion — a thread with a higher QoS class waits for work with a
// lower one.

enum PriorityInversion: AdviceRule {
  typealias Time = AdviceScene.Time

  /// In nanoseconds. A shorter wait ends before the kernel would run other
  /// threads in place of the one waited for: its time slices last some
  /// milliseconds.
  static let leastWait: Time = 1_000_000

  private static let classes: [TraceStory.Rank: String] = [
    1: "background", 2: "utility", 3: "default", 4: "userInitiated", 5: "userInteractive",
  ]

  static func look(at scene: AdviceScene) -> [Advice] {
    var groups: [[AdviceScene.Index]: [Int]] = [:]
    for wait in 0..<scene.waits.count
    where scene.waits.rank[wait] > scene.waits.otherRank[wait]
      && scene.length(wait) >= leastWait
      && classes[scene.waits.rank[wait]] != nil
      && classes[scene.waits.otherRank[wait]] != nil
      && scene.isForOthers(wait)
    {
      groups[[scene.waits.object[wait], scene.waits.queue[wait]], default: []].append(
        wait)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { advice($0, scene) }
  }

  private static func advice(_ waits: [Int], _ scene: AdviceScene) -> Advice {
    let worst = waits.max { scene.length($0) < scene.length($1) } ?? waits[0]
    let times = Distribution(waits.map { scene.length($0) })
    let item = scene.waits.item[worst]
    let queue = item >= 0 ? scene.items.queue[Int(item)] : scene.waits.queue[worst]
    let thread = scene.story.threadName(scene.waits.thread[worst])
    let waiter =
      item >= 0
      ? "an item of \(scene.words(queue: Int(queue)))"
      : scene.story.quotedThread(scene.waits.thread[worst])
    return Advice(
      kind: .priorityInversion, queue: scene.label(queue), thread: thread, count: waits.count,
      nanoseconds: times.total,
      finding: "\(waiter) (\(classes[scene.waits.rank[worst]] ?? "")) waited "
        + "\(DurationText.text(times.longest)) \(scene.story.waitWords(worst)), behind "
        + other(worst, scene)
        + (waits.count > 1
          ? "; \(waits.count) such waits took \(DurationText.text(times.total)) in total" : ""),
      remedy: "give both the same quality of service, or hand the work over with async instead of "
        + "waiting for it",
      places: scene.places(ofWaits: waits))
  }

  /// Describes the work waited for, and how long that work itself waited to
  /// run.
  private static func other(_ wait: Int, _ scene: AdviceScene) -> String {
    let rank = classes[scene.waits.otherRank[wait]] ?? ""
    let item = Int(scene.waits.other[wait])
    guard item >= 0 else { return "work of a lower quality of service (\(rank))" }
    let words = "an item of \(scene.words(queue: Int(scene.items.queue[item]))) (\(rank))"
    let (submitted, started) = (scene.items.submitted[item], scene.items.started[item])
    guard submitted >= 0, started > scene.waits.began[wait] else { return words }
    return words
      + ", which had itself waited \(DurationText.text(started - submitted)) before it ran"
  }
}
