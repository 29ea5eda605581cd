// EngineHandOffs — what the engine passes from thread to thread: itself, what its lock guards, and
// what a worker finds in another worker's slot.

import SignalboxDispatch
import SignalboxRuntime

let engineHandOffs = [
  HandOff("engine") {
    // One thread makes the engine, another finds it.
    let turns = Turns()
    together(
      (0..<2).map { thread in
        { turns.take(thread) { if Engine.current.pool.width < 1 { fatal("no width") } } }
      })
  },
  HandOff("engine-installed-twice") {
    // The second thread finds the first one's engine.
    let turns = Turns()
    together(
      (0..<2).map { thread in
        {
          turns.take(thread) {
            let own = Engine(pool: Pool(width: 1, ceiling: thread), driver: Driver())
            expect(Engine.install(own).pool.ceiling, 0, "the ceiling")
          }
        }
      })
  },
  HandOff("engine-lock-by-turns") {
    let lock = Lock()
    byTurns { _, body in lock.within(body) }
  },
  HandOff("engine-lock-contended") {
    let lock = Lock()
    contended { _, round, count in
      lock.within {
        count.value += 1
        if round % 4 == 0 { work(round / 4) }
      }
    }
  },
  HandOff("slot") {
    // A worker submits to queues that it has just made, and continues to compute. If there are
    // two workers, the other one takes the queues.
    guard Engine.current.pool.width > 1 else { return }
    let turns = Turns()
    DispatchQueue.global().async {
      for round in 0..<chanceRounds {
        let payload = Plain()
        payload.value = round
        DispatchQueue(label: "fresh").async {
          expect(payload.value, round, "the payload")
          turns.end()
        }
        turns.await(round + 1)
      }
    }
    turns.await(chanceRounds)
  },
  HandOff("helper-slot") {
    // The same with concurrent queues: a worker keeps their drain task while it runs their
    // items.
    guard Engine.current.pool.width > 1 else { return }
    let turns = Turns()
    DispatchQueue.global().async {
      for round in 0..<chanceRounds / 4 {
        let payload = Plain()
        payload.value = round
        let queue = DispatchQueue(label: "fresh", attributes: .concurrent)
        for _ in 0..<3 {
          queue.async {
            expect(payload.value, round, "the payload")
            work(3)
            turns.end()
          }
        }
        turns.await(3 * round + 1)
      }
    }
    turns.await(3 * (chanceRounds / 4))
  },
]

private final class Lock: Sendable {
  private let lock = EngineLock()

  func within(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}
