// WaitingDoor — the one place where a thread goes to sleep on a word.
//
// A sleep through the door publishes what the thread waits for, tells the pool
// that a worker is blocked, emits its probes, and only then sleeps, with an
// absolute deadline; without one, and if it lasts, it looks for a deadlock
// (`LongWait`). Fast paths never come here.
//
// Touching    the word: any thread, atomically; the door only compares it.
// Invariants  I1  a call may return `.woken` without a reason (a stale wake, a
//                 signal): callers loop on their own condition.
// Sources     futex(2).

import CSignalbox
public import Synchronization

/// How a sleep ended.
@frozen
package enum WaitOutcome: Sendable {
  /// The word changed, or may have: look again.
  case woken
  case timedOut
}

/// The address of an atomic word inside an object that cannot move.
///
/// SAFETY: an `Atomic` is never copied nor moved while it is borrowed from a
/// class property or from memory that a pointer names, so its address stays
/// the same as long as that storage lives; that is what `Atomic` itself is
/// built on.
@inlinable @inline(__always)
package func wordAddress(_ word: borrowing Atomic<UInt32>) -> UnsafeRawPointer {
  withUnsafePointer(to: word) { UnsafeRawPointer($0) }
}

package enum WaitingDoor {
  /// Sleeps while the word at `address` holds `expected`.
  ///
  /// - Parameters:
  ///   - address: a 32-bit word that outlives the call.
  ///   - deadline: followed on its own clock, so that a step of the wall clock
  ///     does not move an uptime deadline.
  ///   - reason: why, for reports.
  ///   - resource: what is waited for, and whom that needs.
  ///   - since: when the thread began to wait for it, by the uptime clock: where it
  ///     comes again and again, each time with the same. nil: just now.
  package static func wait(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline,
    for reason: WaitReason, on resource: WaitResource, since: UInt64? = nil
  ) -> WaitOutcome {
    let record = WaitRecord.ofThisThread
    record.publish(
      reason: reason, resource: resource, deadline: deadline, word: address, expected: expected,
      since: since)
    let told = Probe.waitBegan(
      reason, on: resource, word: UInt(bitPattern: address), hasDeadline: !deadline.isNever)
    let outcome =
      reason.isForLock && ShortWait.sleep(while: address, is: expected, until: deadline)
      ? WaitOutcome.woken
      : sleep(
        while: address, is: expected, until: deadline, record,
        // Who waits for a signal has left the lock first: it closes no cycle.
        isOwned: resource.need != nil && reason != .condition)
    Probe.waitEnded(told, reason, on: resource, hasTimedOut: outcome == .timedOut)
    record.withdraw()
    return outcome
  }

  /// Sleeps while another worker takes this one's place.
  private static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline,
    _ record: WaitRecord, isOwned: Bool
  ) -> WaitOutcome {
    let worker = Pool.thisWorkerWillBlock()
    // Not for a deadline that has passed: to change the slack costs more than such a wait.
    let isTight = worker != nil && !deadline.isNever && !deadline.hasPassed
    if isTight { csb_thread_tighten_timers() }
    defer {
      if isTight { csb_thread_loosen_timers() }
      if let worker { Pool.didUnblock(worker) }
    }
    if ThreadRefusal.isOpen {
      return ThreadRefusal.sleep(
        while: address, is: expected, until: deadline, isOwned ? record : nil)
    }
    return deadline.isNever && (isOwned || StuckWatch.isOn)
      ? LongWait.sleep(while: address, is: expected, record, isOwned: isOwned)
      : FutexSleeper.sleep(while: address, is: expected, until: deadline)
  }

  /// Sleeps until one of the sleeper's descriptors is readable, for `reason`.
  package static func wait(
    in sleeper: borrowing DescriptorSleeper, for reason: WaitReason, on resource: WaitResource
  ) -> DescriptorSleeper.Ready {
    let record = WaitRecord.ofThisThread
    record.publish(reason: reason, resource: resource, deadline: .never)
    let told = Probe.waitBegan(reason, on: resource, word: sleeper.traceWord, hasDeadline: false)
    let ready = sleeper.sleep()
    Probe.waitEnded(told, reason, on: resource, hasTimedOut: false)
    record.withdraw()
    return ready
  }

  /// Sleeps until one of the sleeper's descriptors is ready, somebody wakes it, or the
  /// uptime clock shows `deadline`. May come back without a reason.
  ///
  /// - Parameters:
  ///   - deadline: `UInt64.max` for never.
  ///   - events: where to write what was ready.
  package static func wait(
    in sleeper: borrowing DescriptorSleeper, until deadline: UInt64,
    into events: UnsafeMutableBufferPointer<DescriptorSleeper.Event>,
    for reason: WaitReason, on resource: WaitResource
  ) -> DescriptorSleeper.Found {
    let record = WaitRecord.ofThisThread
    record.publish(reason: reason, resource: resource, deadline: Deadline(.uptime, deadline))
    let told = Probe.waitBegan(
      reason, on: resource, word: sleeper.traceWord, hasDeadline: deadline != UInt64.max)
    let worker = Pool.thisWorkerWillBlock()
    let isTight = worker != nil && deadline != UInt64.max
    if isTight { csb_thread_tighten_timers() }
    let found =
      ThreadRefusal.isOpen
      ? sleeper.wait(until: ThreadRefusal.nextAttempt(before: deadline), into: events)
      : sleeper.wait(until: deadline, into: events)
    if isTight { csb_thread_loosen_timers() }
    if ThreadRefusal.isOpen { ThreadRefusal.tryAgain() }
    if let worker { Pool.didUnblock(worker) }
    // Whether it was time is for the caller to find out.
    Probe.waitEnded(told, reason, on: resource, hasTimedOut: false)
    record.withdraw()
    return found
  }

  /// Lets another thread run here: for the few instructions that another thread
  /// is short of, where it may have been preempted before them.
  package static func giveWay() { csb_thread_yield() }

  /// Wakes up to `count` threads asleep on the word at `address`.
  @inlinable package static func wake(_ address: UnsafeRawPointer, count: Int32 = 1) {
    Probe.wake(UInt(bitPattern: address))
    csb_futex_wake(address, count)
  }
}

/// The bare sleep on a futex word: no record, no probe. Only the door and the
/// engine's own lock and workers use it.
package enum FutexSleeper {
  /// Wakes up to `count` of those who sleep like this.
  package static func wake(_ address: UnsafeRawPointer, count: Int32 = 1) {
    csb_futex_wake(address, count)
  }

  package static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline
  ) -> WaitOutcome {
    // The kernel arms a timer even for a deadline that has passed, and the thread's timer
    // slack delays that timer: a wait until `.now()` took 64 µs here, and takes 0.1 µs so.
    if deadline.hasPassed {
      return csb_look_at_word(address) == expected ? .timedOut : .woken
    }
    let error = csb_futex_wait(
      address, expected, deadline.nanoseconds, deadline.clock == .wall ? 1 : 0)
    switch error {
    case 0, EAGAIN, EINTR: return .woken
    case ETIMEDOUT: return .timedOut
    default:
      // EINVAL and EFAULT would mean a bad address or an impossible deadline;
      // ENOSYS and EPERM a sandbox without futexes, where nothing can block.
      internalBug("futex wait failed with errno \(error)")
    }
  }
}
