// Actors — an actor runs one job at a time, and is open while a job waits.

package let actorScenarios: [String: AsyncScenario] = [
  "an-actor-runs-one-at-a-time": {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<10_000 { await counter.step() } }
      }
    }
    report("count", await counter.count)
    report("overlaps", await counter.overlaps)
  },

  "an-actor-is-open-while-it-waits": {
    let door = Door()
    let log = Log()
    async let first: Void = door.enter(log, "first")
    await door.waitUntilEntered()
    log.add("second")
    await door.leave()
    await first
    report("order", log.joined)
  },

  "messages-of-one-task-arrive-in-order": {
    let counter = Counter()
    for number in 0..<10_000 { await counter.note(number) }
    report("inOrder", await counter.notes == Array(0..<10_000))
  },

  "global-actors-keep-others-out": {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for _ in 0..<2000 {
            if number.isMultiple(of: 2) { await bump() } else { await Bench.shared.bumpToo() }
          }
        }
      }
    }
    report("count", await benchCount)
  },

  "many-actors-and-many-tasks": {
    let actors = (0..<100).map { _ in Counter() }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<100 {
        group.addTask { for step in 0..<200 { await actors[(task + step * 7) % 100].step() } }
      }
    }
    var sum = 0
    var overlaps = 0
    for actor in actors {
      sum += await actor.count
      overlaps += await actor.overlaps
    }
    report("sum", sum)
    report("overlaps", overlaps)
  },

  "an-isolated-deinit-runs-on-its-actor": {
    let ended = Gate()
    let log = Log()
    await Task.detached {
      _ = await MainGuest(log, ended)
    }.value
    await ended.pass()
    report("onMain", log.joined)
    let freed = Gate()
    await Task.detached { _ = Guest(log, freed) }.value
    await freed.pass()
    report("onActor", log.all.last!)
  },

  "an-actor-is-freed": {
    let alive = Tally()
    for _ in 0..<1000 {
      let holder = Holder(alive)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await holder.use() } }
      }
    }
    await allFreed(alive)
    report("alive", alive.count)
  },
]

private actor Counter {
  private(set) var count = 0
  private(set) var overlaps = 0
  private(set) var notes: [Int] = []
  private let inside = Tally()

  func step() {
    if inside.increment() != 1 { overlaps += 1 }
    count += 1
    inside.decrement()
  }

  func note(_ number: Int) { notes.append(number) }
}

private actor Door {
  private let entered = Gate()
  private let left = Gate()

  func enter(_ log: Log, _ name: String) async {
    log.add("\(name) in")
    entered.open()
    await left.pass()
    log.add("\(name) out")
  }

  nonisolated func waitUntilEntered() async { await entered.pass() }
  func leave() { left.open() }
}

private actor Holder {
  private let tracked: Tracked
  init(_ alive: Tally) { tracked = Tracked(alive) }
  func use() {}
}

@globalActor private actor Bench {
  static let shared = Bench()

  func bumpToo() async { await bump() }
}

@Bench private var benchCount = 0
@Bench private func bump() { benchCount += 1 }

@MainActor private final class MainGuest {
  private let log: Log
  private let ended: Gate

  init(_ log: Log, _ ended: Gate) {
    self.log = log
    self.ended = ended
  }

  isolated deinit {
    MainActor.preconditionIsolated()
    log.add(true)
    ended.open()
  }
}

private actor Guest {
  private let log: Log
  private let freed: Gate

  init(_ log: Log, _ freed: Gate) {
    self.log = log
    self.freed = freed
  }

  isolated deinit {
    preconditionIsolated()
    log.add("actor")
    freed.open()
  }
}
