// QueueHandOffs — what a queue passes from one piece of work to the next, and from a submitter to
// its item.

import Glibc
import SignalboxDispatch

let queueHandOffs = [
  HandOff("sync-by-turns") {
    let queue = DispatchQueue(label: "turns")
    byTurns { _, body in queue.sync(execute: body) }
  },
  HandOff("sync-and-barrier-by-turns") {
    let queue = DispatchQueue(label: "turns", attributes: .concurrent)
    let count = Plain(), seen = [Plain(), Plain()]
    let turns = Turns()
    together(
      {
        for round in 0..<turnRounds {
          turns.take(3 * round) { queue.sync(flags: .barrier) { count.value += 1 } }
        }
      },
      {
        for round in 0..<turnRounds {
          turns.take(3 * round + 1) { queue.sync { seen[0].value += count.value } }
        }
      },
      {
        for round in 0..<turnRounds {
          turns.take(3 * round + 2) { queue.sync { seen[1].value += count.value } }
        }
      })
    let all = turnRounds * (turnRounds + 1) / 2
    expect(seen[0].value + seen[1].value, 2 * all, "what was read")
  },
  HandOff("sync-contended") {
    let queue = DispatchQueue(label: "contended")
    contended { _, round, count in
      queue.sync {
        count.value += 1
        work(round)
      }
    }
  },
  HandOff("barriers-contended") {
    let queue = DispatchQueue(label: "contended", attributes: .concurrent)
    contended { thread, round, count in
      if (thread + round) % 2 == 0 {
        queue.sync(flags: .barrier) {
          count.value += 1
          work(round)
        }
      } else {
        queue.sync {
          _ = count.value
          work(round / 2)
        }
        queue.sync(flags: .barrier) { count.value += 1 }
      }
    }
  },
  HandOff("async") {
    let queue = DispatchQueue(label: "async")
    contended { _, round, count in
      let payload = Plain()
      payload.value = 1
      queue.async { count.value += payload.value }
      if round % 64 == 0 { work(round / 64) }
      if round == chanceRounds - 1 { queue.sync {} }
    }
  },
  HandOff("async-from-one") {
    // The queue is busy for most of them, so that only its list is between the submitter and
    // the item.
    let queue = DispatchQueue(label: "stream")
    let ran = Turns()
    for round in 0..<chanceRounds {
      let payload = Plain()
      payload.value = 1
      queue.async {
        if payload.value != 1 { fatal("an item without its payload") }
        ran.end()
      }
      work(round % 2)
    }
    ran.await(chanceRounds)
  },
  HandOff("async-barrier") {
    let queue = DispatchQueue(label: "barriers", attributes: .concurrent)
    contended { thread, round, count in
      queue.async(flags: .barrier) { count.value += 1 }
      queue.async {
        _ = count.value
        if round % 16 == 0 { work(round / 16) }
      }
      if round % 32 == 0 { work(round / 32) }
      if round == chanceRounds - 1 { queue.sync(flags: .barrier) {} }
    }
  },
  HandOff("async-and-sync") {
    let queue = DispatchQueue(label: "both")
    contended { thread, round, count in
      if thread == 0 {
        queue.async { count.value += 1 }
        if round % 8 == 0 { work(round / 8) }
        if round == chanceRounds - 1 { queue.sync {} }
      } else {
        queue.sync { count.value += 1 }
      }
    }
  },
  HandOff("target") {
    let target = DispatchQueue(label: "target")
    let queues = (0..<3).map { DispatchQueue(label: "\($0)", target: target) }
    contended { thread, round, count in
      queues[thread].async { count.value += 1 }
      if round % 16 == 0 { work(round / 16) }
      if round == chanceRounds - 1 { queues[thread].sync {} }
    }
  },
  HandOff("main-sync") {
    let result = Plain()
    let caller: @Sendable () -> Void = {
      for round in 0..<chanceRounds {
        DispatchQueue.main.sync {
          work(round)
          result.value += 1
        }
        expect(result.value, round + 1, "what the main thread did")
      }
      exit(0)
    }
    DispatchQueue.global().async { together(caller) }
    dispatchMain()
  },
]

/// Two threads count in one variable, each in its turn, inside `enter`.
func byTurns(_ enter: @escaping @Sendable (_ thread: Int, _ body: () -> Void) -> Void) {
  let count = Plain()
  let turns = Turns()
  together(
    (0..<2).map { thread in
      {
        for round in 0..<turnRounds {
          turns.take(2 * round + thread) { enter(thread, { count.value += 1 }) }
        }
      }
    })
  expect(count.value, 2 * turnRounds, "turns counted")
}

/// Three threads count in one variable at once, with `body`.
func contended(_ body: @escaping @Sendable (_ thread: Int, _ round: Int, _ count: Plain) -> Void) {
  let count = Plain()
  together(
    (0..<3).map { thread in { for round in 0..<chanceRounds { body(thread, round, count) } } })
  expect(count.value, 3 * chanceRounds, "rounds counted")
}
