// ConditionHandOffs — what the holder of a condition, of a condition lock and of a recursive lock
// passes to the next one, and a lazy value to its readers.

import Glibc
import SignalboxLocks

let conditionHandOffs = [
  HandOff("condition-wait") {
    let condition = NSCondition()
    for round in 0..<chanceRounds {
      let result = Plain()
      let isThere = Plain()
      together(
        {
          condition.lock()
          while isThere.value == 0 { condition.wait() }
          expect(result.value, round, "what came before the signal")
          condition.unlock()
        },
        {
          work(round)
          condition.lock()
          result.value = round
          isThere.value = 1
          condition.signal()
          condition.unlock()
        })
    }
  },
  HandOff("condition-broadcast") {
    // Each woken thread counts; they come one after another.
    for round in 0..<chanceRounds / 4 {
      let condition = NSCondition()
      let count = Plain()
      let isOpen = Plain()
      let waiter: @Sendable () -> Void = {
        condition.lock()
        while isOpen.value == 0 { _ = condition.wait(until: .distantFuture) }
        count.value += 1
        condition.unlock()
      }
      together(
        waiter, waiter, waiter,
        {
          work(round)
          condition.withLock { isOpen.value = 1 }
          condition.broadcast()
        })
      expect(count.value, 3, "threads that went on")
    }
  },
  HandOff("condition-lock-values") {
    let lock = NSConditionLock(condition: 0)
    let count = Plain()
    let each = chanceRounds
    together(
      (0..<3).map { own in
        {
          for round in 0..<each {
            lock.lock(whenCondition: own)
            work(round % 2)
            count.value += 1
            lock.unlock(withCondition: (own + 1) % 3)
          }
        }
      })
    expect(count.value, 3 * each, "turns")
  },
  HandOff("recursive-lock") {
    let lock = NSRecursiveLock()
    let count = Plain()
    together(
      (0..<3).map { _ in
        {
          for round in 0..<chanceRounds {
            lock.lock()
            lock.lock()
            work(round % 2)
            count.value += 1
            lock.unlock()
            lock.unlock()
          }
        }
      })
    expect(count.value, 3 * chanceRounds, "counts")
  },
  HandOff("lazy-by-turns") {
    for _ in 0..<turnRounds {
      let result = Plain()
      let lazy = Lazy { result.value += 1 }
      let turns = Turns()
      together(
        { turns.take(0) { lazy.value } },
        {
          turns.take(1) { lazy.value }
          expect(result.value, 1, "what making the value did")
        })
    }
  },
]
