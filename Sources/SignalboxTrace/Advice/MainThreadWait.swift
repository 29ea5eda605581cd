// MainThreadWait — the main thread blocks, and the main queue waits with it.

import SignalboxRuntime

enum MainThreadWait: AdviceRule {
  typealias Time = AdviceInput.Time

  /// One frame at 60 frames a second, in nanoseconds: a longer wait visibly
  /// drops a frame.
  static let frame: Time = 16_000_000

  static func look(at input: AdviceInput) -> [Advice] {
    // If no code submits work to the main thread, its waits hold up nothing.
    let work = input.itemsOfMainQueues().filter { !input.isSync($0) }
    let hasLoop = input.mainLoopRuns
    guard hasLoop || !work.isEmpty else { return [] }
    var groups: [[AdviceInput.Index]: [Int]] = [:]
    for wait in 0..<input.waits.count
    where input.length(wait) >= frame && input.isMain(input.waits.thread[wait])
      && input.isForOthers(wait)
    {
      groups[[input.waits.object[wait], input.waits.queue[wait]], default: []].append(
        wait)
    }
    return groups.values.sorted { $0[0] < $1[0] }.map { advice($0, work, input) }
  }

  private static func advice(_ waits: [Int], _ work: [Int], _ input: AdviceInput) -> Advice {
    let times = Distribution(waits.map { input.length($0) })
    let heldUp = heldUp(work, by: waits, input)
    let thread = input.trace.threadName(input.waits.thread[waits[0]])
    return Advice(
      kind: .mainThreadWait, queue: input.label(input.waits.queue[waits[0]]), thread: thread,
      count: waits.count, nanoseconds: times.total,
      finding: "the main thread waited \(waits.count == 1 ? "once" : "\(waits.count) times") for "
        + "longer than a frame (\(waits.count == 1 ? "" : "at most ")"
        + "\(DurationText.text(times.longest))), \(input.trace.waitWords(waits[0])); "
        + (heldUp == 0 ? "no item" : counted(heldUp, "item"))
        + " of the main queue \(heldUp < 2 ? "was" : "were") held up",
      remedy: "do not wait on the main thread: let the work submit the next step to the main queue "
        + "(a group's notify, or an async at its end)",
      places: input.places(ofWaits: waits))
  }

  /// How many of these items had not started when one of these waits began, and
  /// were submitted before it ended. `waits` is sorted by beginning.
  private static func heldUp(_ work: [Int], by waits: [Int], _ input: AdviceInput) -> Int {
    let began = waits.map { input.waits.began[$0] }
    // The latest end among the first n waits, for each n.
    var ended: [Time] = [-1]
    for wait in waits {
      ended.append(max(ended[ended.count - 1], input.waits.began[wait] + input.length(wait)))
    }
    return work.count { item in
      let (submitted, started) = (
        input.items.submitted[item], input.items.started[item]
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
