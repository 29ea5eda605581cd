// MainThreadWait — the main thread blocks, and the main queue waits with it.

import SignalboxRuntime

enum MainThreadWait: AdviceRule {
  typealias Time = AdviceScene.Time

  /// One frame at 60 frames a second, in nanoseconds: a longer wait visibly
  /// drops a frame.
  static let frame: Time = 16_000_000

  static func look(at scene: AdviceScene) -> [Advice] {
    // If no code submits work to the main thread, its waits hold up nothing.
    let work = scene.itemsOfMainQueues().filter { !scene.isSync($0) }
    let hasLoop = scene.mainLoopRuns
    guard hasLoop || !work.isEmpty else { return [] }
    var groups: [[AdviceScene.Index]: [Int]] = [:]
    for wait in 0..<scene.waits.count
    where scene.length(wait) >= frame && scene.isMain(scene.waits.thread[wait])
      && scene.isForOthers(wait)
    {
      groups[[scene.waits.object[wait], scene.waits.queue[wait]], default: []].append(
        wait)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { advice($0, work, scene) }
  }

  private static func advice(_ waits: [Int], _ work: [Int], _ scene: AdviceScene) -> Advice {
    let times = Distribution(waits.map { scene.length($0) })
    let heldUp = heldUp(work, by: waits, scene)
    let thread = scene.story.threadName(scene.waits.thread[waits[0]])
    return Advice(
      kind: .mainThreadWait, queue: scene.label(scene.waits.queue[waits[0]]), thread: thread,
      count: waits.count, nanoseconds: times.total,
      finding: "the main thread waited \(waits.count == 1 ? "once" : "\(waits.count) times") for "
        + "longer than a frame (\(waits.count == 1 ? "" : "at most ")"
        + "\(DurationText.text(times.longest))), \(scene.story.waitWords(waits[0])); "
        + (heldUp == 0 ? "no item" : counted(heldUp, "item"))
        + " of the main queue \(heldUp < 2 ? "was" : "were") held up",
      remedy: "do not wait on the main thread: let the work submit the next step to the main queue "
        + "(a group's notify, or an async at its end)",
      places: scene.places(ofWaits: waits))
  }

  /// How many of these items were submitted by the end of one of these waits
  /// and had not started before it. `waits` is sorted by beginning.
  private static func heldUp(_ work: [Int], by waits: [Int], _ scene: AdviceScene) -> Int {
    let began = waits.map { scene.waits.began[$0] }
    // The latest end among the first n waits, for each n.
    var ended: [Time] = [-1]
    for wait in waits {
      ended.append(max(ended[ended.count - 1], scene.waits.began[wait] + scene.length(wait)))
    }
    return work.count { item in
      let (submitted, started) = (
        scene.items.submitted[item], scene.items.started[item]
      )
      let before = started < 0 ? began.count : count(of: began, before: started)
      return submitted >= 0 && submitted < ended[before]
    }
  }

  /// How many of these sorted times are earlier.
  private static func count(of times: [Time], before time: Time) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
