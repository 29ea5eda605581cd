// WaitingHandOffs — what the awaited side passes to the waiting side: groups, semaphores, work
// items, onces, loops, delays.

import Glibc
import SignalboxDispatch
import SignalboxPatterns

let waitingHandOffs = [
  HandOff("group-wait-by-turns") {
    byMembersTurns { group, work, turn in
      turn { group.wait() }
      expect(work[0].value + work[1].value, 2, "work seen after the wait")
    }
  },
  HandOff("group-notify-by-turns") {
    let queue = DispatchQueue(label: "notices")
    byMembersTurns { group, work, turn in
      let told = Turns()
      turn {
        group.notify(queue: queue) {
          expect(work[0].value + work[1].value, 2, "work seen by a notice")
          told.end()
        }
      }
      told.await(1)
    }
  },
  HandOff("group-notify-before") {
    // The first member only leaves; the second, which leaves last, submits the notice.
    let queue = DispatchQueue(label: "notices")
    for _ in 0..<turnRounds {
      let group = DispatchGroup()
      let work = [Plain(), Plain()]
      let turns = Turns(), told = Turns()
      for _ in work { group.enter() }
      group.notify(queue: queue) {
        expect(work[0].value + work[1].value, 2, "work seen by a notice")
        told.end()
      }
      together(membersByTurns(group, work, turns))
      told.await(1)
    }
  },
  HandOff("group-wait-contended") {
    for round in 0..<chanceRounds {
      let group = DispatchGroup()
      let result = Plain()
      let turns = Turns()
      group.enter()
      together(
        {
          result.value = 1
          turns.end()
          work(round)
          group.leave()
        },
        {
          turns.await(1)
          group.wait()
          expect(result.value, 1, "work seen after the wait")
        })
    }
  },
  HandOff("group-notify-contended") {
    let queue = DispatchQueue(label: "notices")
    for _ in 0..<chanceRounds {
      let group = DispatchGroup()
      let result = Plain()
      let turns = Turns(), told = Turns()
      group.enter()
      together(
        {
          turns.await(1)
          result.value = 1
          group.leave()
        },
        {
          turns.end()
          group.notify(queue: queue) {
            expect(result.value, 1, "work seen by a notice")
            told.end()
          }
        })
      told.await(1)
    }
  },
  HandOff("semaphore-by-turns") {
    let semaphore = DispatchSemaphore(value: 1)
    byTurns { _, body in
      semaphore.wait()
      body()
      semaphore.signal()
    }
  },
  HandOff("semaphore-contended") {
    let semaphore = DispatchSemaphore(value: 1)
    contended { _, round, count in
      semaphore.wait()
      count.value += 1
      work(round)
      semaphore.signal()
    }
  },
  HandOff("work-item-wait-by-turns") {
    for _ in 0..<turnRounds {
      let result = Plain()
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem { result.value = 1 }
      together(
        { turns.take(0) { item.perform() } },
        {
          turns.take(1) { item.wait() }
          expect(result.value, 1, "work seen after the wait")
        })
    }
  },
  HandOff("work-item-wait-contended") {
    for round in 0..<chanceRounds {
      let result = Plain()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem {
        work(round)
        result.value = 1
      }
      together(
        { item.perform() },
        {
          item.wait()
          expect(result.value, 1, "work seen after the wait")
        })
    }
  },
  HandOff("work-item-cancel-by-turns") {
    // The cancel frees the closure that the other thread has run.
    for _ in 0..<turnRounds {
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem {}
      together({ turns.take(0) { item.perform() } }, { turns.take(1) { item.cancel() } })
    }
  },
  HandOff("work-item-cancel-contended") {
    for round in 0..<chanceRounds {
      let ran = Plain()
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem {
        ran.value += 1
        turns.end()
        work(round)
      }
      together(
        { item.perform() },
        {
          if round % 2 == 0 { turns.await(1) }
          item.cancel()
        })
    }
  },
  HandOff("work-item-cancel-and-wait") {
    // A cancelled item that is dequeued while it runs elsewhere has not ended.
    let queue = DispatchQueue(label: "cancelled")
    for round in 0..<chanceRounds {
      let result = Plain()
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem {
        turns.end()
        work(round)
        result.value = 1
      }
      together(
        { item.perform() },
        {
          turns.await(1)
          item.cancel()
          queue.async(execute: item)
          item.wait()
          expect(result.value, 1, "work seen after the wait")
        })
      queue.sync {}
    }
  },
  HandOff("once-by-turns") {
    for _ in 0..<turnRounds {
      let once = DispatchOnce()
      let result = Plain()
      let turns = Turns()
      together(
        { turns.take(0) { once.perform { result.value = 1 } } },
        {
          turns.take(1) { once.perform {} }
          expect(result.value, 1, "what the once did")
        })
    }
  },
  HandOff("once-contended") {
    struct Failure: Error {}
    for round in 0..<chanceRounds {
      let once = DispatchOnce()
      let attempts = Plain()
      together(
        (0..<3).map { _ in
          {
            try? once.perform {
              attempts.value += 1
              work(round)
              if attempts.value == 1 && round % 2 == 0 { throw Failure() }
            }
          }
        })
      expect(attempts.value, round % 2 == 0 ? 2 : 1, "attempts")
    }
  },
  HandOff("concurrent-perform") {
    for round in 0..<chanceRounds {
      let results = (0..<8).map { _ in Plain() }
      let offset = round
      DispatchQueue.concurrentPerform(iterations: results.count) { index in
        work(index + offset)
        results[index].value = index + 1
      }
      expect(results.reduce(0) { $0 + $1.value }, 36, "iterations")
    }
  },
  HandOff("asynchronous-jobs") {
    // The next job sees what happened before the block that ends the previous job.
    let worker = LimitedWorker(limit: 1)
    let count = Plain()
    let ran = Turns()
    for round in 0..<chanceRounds {
      worker.enqueueWork { done in
        count.value += 1
        DispatchQueue.global().async {
          work(round)
          count.value += 1
          ran.end()
          done()
        }
      }
    }
    ran.await(chanceRounds)
  },
  HandOff("async-after") {
    let queue = DispatchQueue(label: "delays")
    let ran = Turns()
    contended { _, round, count in
      let payload = Plain()
      payload.value = 1
      queue.asyncAfter(deadline: .now() + .microseconds(100 + round % 8)) {
        count.value += payload.value
        ran.end()
      }
      if round == chanceRounds - 1 {
        ran.await(3 * chanceRounds)
        queue.sync {}
      }
    }
  },
  HandOff("async-after-freed") {
    // The last reference to a delayed item is released on a thread that neither submitted nor
    // ran it.
    let queue = DispatchQueue(label: "delays")
    for _ in 0..<turnRounds {
      let turns = Turns()
      // SAFETY: the second thread releases it after all others have used it.
      nonisolated(unsafe) let item = Unmanaged.passRetained(DispatchWorkItem { turns.end() })
      together(
        {
          item._withUnsafeGuaranteedRef {
            queue.asyncAfter(deadline: .now() + .microseconds(100), execute: $0)
          }
          turns.end()
        },
        {
          turns.await(2)
          work(3)
          item.release()
        })
    }
  },
  HandOff("async-after-twice") {
    // The later submission withdraws the earlier one's delay, though the item runs for both.
    let queue = DispatchQueue(label: "delays")
    for _ in 0..<chanceRounds {
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem { turns.end() }
      let submit: @Sendable () -> Void = {
        turns.end()
        turns.await(2)
        queue.asyncAfter(deadline: .now() + .microseconds(500), execute: item)
      }
      together(submit, submit)
      turns.await(4)
    }
  },
  HandOff("async-after-cancelled") {
    let queue = DispatchQueue(label: "delays")
    for round in 0..<chanceRounds {
      let result = Plain()
      let turns = Turns()
      // SAFETY: any thread may use a work item.
      nonisolated(unsafe) let item = DispatchWorkItem { result.value += 1 }
      together(
        {
          turns.take(0) {
            queue.asyncAfter(deadline: .now() + .microseconds(100), execute: item)
          }
        },
        {
          turns.await(1)
          work(round)
          item.cancel()
          item.wait()
        })
      queue.sync { if result.value > 1 { fatal("a work item ran twice") } }
    }
  },
]

/// Two members work and leave, each in its turn. Then a third thread has its turn, in which it
/// calls the given function.
private func byMembersTurns(
  _ third:
    @escaping @Sendable (
      _ group: DispatchGroup, _ work: [Plain], _ turn: (() -> Void) -> Void
    ) -> Void
) {
  for _ in 0..<turnRounds {
    let group = DispatchGroup()
    let work = [Plain(), Plain()]
    let turns = Turns()
    for _ in work { group.enter() }
    var bodies = membersByTurns(group, work, turns)
    bodies.append { third(group, work) { body in turns.take(2, body) } }
    together(bodies)
  }
}

/// Returns the bodies of two members; each leaves in its turn.
private func membersByTurns(
  _ group: DispatchGroup, _ work: [Plain], _ turns: Turns
) -> [@Sendable () -> Void] {
  (0..<2).map { member in
    {
      turns.take(member) {
        work[member].value = 1
        group.leave()
      }
    }
  }
}
