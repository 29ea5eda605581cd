// BlockedWorkers — workers that block in their items, so that the pool has to
// start others.

import SignalboxRuntime

enum BlockedWorkers: AdviceRule {
  typealias Time = AdviceScene.Time

  /// How many workers wait at the same moment, per permit of the pool. Two
  /// means that every permit was given to a second worker, and that those
  /// waited too.
  static let leastCrowd = 2
  /// Fewer waits are not a habit.
  static let leastWaits = 100
  /// A quarter of the pool's time, which fewer threads could have used for
  /// work.
  static let leastTime = (of: Time(1), in: Time(4))

  static func look(at scene: AdviceScene) -> [Advice] {
    let waits = (0..<scene.waits.count).filter { wait in
      scene.waits.item[wait] >= 0 && scene.isWorker(scene.waits.thread[wait])
        && scene.isForOthers(wait)
    }
    let places = max(1, Int(scene.story.meta.processors))
    let crowd = greatestCrowd(waits, scene)
    let time = waits.reduce(Time(0)) { $0.addedOrHalf(scene.length($1)) }
    let poolTime = scene.duration.multipliedOrHalf(Time(places))
    let isHabit =
      waits.count >= leastWaits
      && time.multipliedOrHalf(leastTime.in) >= poolTime.multipliedOrHalf(leastTime.of)
    guard crowd >= places * leastCrowd || isHabit else { return [] }
    let queue = queueThatWaitedMost(waits, scene)
    let here = waits.filter { scene.items.queue[Int(scene.waits.item[$0])] == queue }
    return [
      Advice(
        kind: .blockedWorkers, queue: scene.label(queue), thread: "", count: crowd,
        nanoseconds: time,
        finding: "workers waited \(counted(waits.count, "time")) inside items, for "
          + "\(DurationText.text(time)) in total and up to \(crowd) at once, in a pool of "
          + "\(counted(places, "worker")); "
          + "\(here.count) of the waits \(here.count == 1 ? "was" : "were") in items of "
          + scene.words(queue: Int(queue))
          + (here.first.map {
            ", \(here.count == 1 ? "" : "the first of them ")\(scene.story.waitWords($0))"
          } ?? ""),
        remedy: "let the work that is waited for submit the next step (a group's notify, or an "
          + "async at its end), or start fewer items at a time",
        places: scene.places(ofWaits: here))
    ]
  }

  /// The greatest number of these waits at the same moment.
  private static func greatestCrowd(_ waits: [Int], _ scene: AdviceScene) -> Int {
    let ends = waits.map { wait in
      let ended = scene.waits.ended[wait]
      return ended >= 0 ? ended : Time.max
    }.inOrder()
    var (gone, greatest) = (0, 0)
    for (come, time) in waits.map({ scene.waits.began[$0] }).inOrder().enumerated() {
      while gone < ends.count && ends[gone] <= time { gone += 1 }
      greatest = max(greatest, come + 1 - gone)
    }
    return greatest
  }

  private static func queueThatWaitedMost(
    _ waits: [Int], _ scene: AdviceScene
  ) -> AdviceScene.Index {
    var times: [AdviceScene.Index: Time] = [:]
    for wait in waits {
      let queue = scene.items.queue[Int(scene.waits.item[wait])]
      times[queue] = (times[queue] ?? 0).addedOrHalf(scene.length(wait))
    }
    return times.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? TraceStory.none
  }
}
