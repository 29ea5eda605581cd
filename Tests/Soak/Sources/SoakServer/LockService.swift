// LockService — gives tickets under a mutex, and reads and writes data under a read–write lock.
//
// Touching    `nextTicket`: under `mutex`. `left`, `right`: under `table`.
// Invariants  I1  whenever nobody writes, `left` and `right` are equal.

import SignalboxDispatch
import SignalboxLocks

// SAFETY: see Touching.
final class LockService: Service, @unchecked Sendable {
  private let mutex = NSLock()
  private var nextTicket: UInt64 = 0

  private let table = ReadWriteLock()
  private var left = 0
  private var right = 0

  /// One step in so many writes.
  private static let stepsToAWrite = 8

  func answer(_ request: Request, reply: @escaping Reply) {
    DispatchQueue.global().async { [self] in
      let first = takeTickets(UInt64(request.count))
      reply("\(first) \(countHalfWritten(steps: request.count))")
    }
  }

  private func takeTickets(_ count: UInt64) -> UInt64 {
    mutex.withLock {
      let first = nextTicket
      nextTicket = first + count
      return first
    }
  }

  private func countHalfWritten(steps: Int) -> Int {
    var found = 0
    for step in 0..<steps {
      if step.isMultiple(of: LockService.stepsToAWrite) {
        table.withWriteLock {
          left += 1
          right += 1
        }
      } else if !table.withReadLock({ left == right }) {
        found += 1
      }
    }
    return found
  }
}
