// BlockedWorkers — workers that block in their items, so that the pool has to
// start others.

import SignalboxRuntime

enum BlockedWorkers: AdviceRule {
  typealias Time = AdviceInput.Time

  /// How many workers wait at the same moment, per permit of the pool. Two
  /// means that every permit was given to a second worker, and that these
  /// second workers waited too.
  static let leastCrowd = 2
  /// Fewer waits are not a habit.
  static let leastWaits = 100
  /// The minimum share of the pool's time that the waits take: a quarter.
  static let leastTime = (of: Time(1), in: Time(4))

  static func look(at input: AdviceInput) -> [Advice] {
    let waits = (0..<input.waits.count).filter { wait in
      input.waits.item[wait] >= 0 && input.isWorker(input.waits.thread[wait])
        && input.isForOthers(wait)
    }
    let processors = max(1, Int(input.trace.meta.processors))
    let crowd = greatestCrowd(waits, input)
    let time = waits.reduce(Time(0)) { $0.addedOrHalf(input.length($1)) }
    let poolTime = input.duration.multipliedOrHalf(Time(processors))
    let isHabit =
      waits.count >= leastWaits
      && time.multipliedOrHalf(leastTime.in) >= poolTime.multipliedOrHalf(leastTime.of)
    guard crowd >= processors * leastCrowd || isHabit else { return [] }
    let queue = queueThatWaitedMost(waits, input)
    let here = waits.filter { input.items.queue[Int(input.waits.item[$0])] == queue }
    return [
      Advice(
        kind: .blockedWorkers, queue: input.label(queue), thread: "", count: crowd,
        nanoseconds: time,
        finding: "workers waited \(counted(waits.count, "time")) inside items, for "
          + "\(DurationText.text(time)) in total and up to \(crowd) at once, in a pool of "
          + "\(counted(processors, "worker")); "
          + "\(here.count) of the waits \(here.count == 1 ? "was" : "were") in items of "
          + input.words(queue: Int(queue))
          + (here.first.map {
            ", \(here.count == 1 ? "" : "the first of them ")\(input.trace.waitWords($0))"
          } ?? ""),
        remedy: "let the work that is waited for submit the next step (a group's notify, or an "
          + "async at its end), or start fewer items at a time",
        places: input.places(ofWaits: here))
    ]
  }

  /// The greatest number of these waits at the same moment.
  private static func greatestCrowd(_ waits: [Int], _ input: AdviceInput) -> Int {
    let ends = waits.map { wait in
      let ended = input.waits.ended[wait]
      return ended >= 0 ? ended : Time.max
    }.inOrder()
    var (gone, greatest) = (0, 0)
    for (come, time) in waits.map({ input.waits.began[$0] }).inOrder().enumerated() {
      while gone < ends.count && ends[gone] <= time { gone += 1 }
      greatest = max(greatest, come + 1 - gone)
    }
    return greatest
  }

  private static func queueThatWaitedMost(
    _ waits: [Int], _ input: AdviceInput
  ) -> AdviceInput.Index {
    var times: [AdviceInput.Index: Time] = [:]
    for wait in waits {
      let queue = input.items.queue[Int(input.waits.item[wait])]
      times[queue] = (times[queue] ?? 0).addedOrHalf(input.length(wait))
    }
    return times.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? TraceModel.none
  }
}
