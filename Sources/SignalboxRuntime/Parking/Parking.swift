// Parking — where a thread of the program goes to sleep on a word.
//
// `Parking` first does the work that the thread has postponed. It publishes what the thread waits
// for, tells the pool that a worker is blocked, emits its probes, and then sleeps until an absolute
// deadline. A long wait without a deadline calls for a diagnosis (`LongWait`). Fast paths never
// come here.
//
// Touching    the word: any thread, atomically; `Parking` only compares it.
// Invariants  I1  a call may return `.woken` without a reason (a stale wake, a
//                 signal): callers loop on their own condition.

import CSignalbox

package enum Parking {
  /// Sleeps while the word at `address` holds `expected`.
  ///
  /// - Parameters:
  ///   - address: a 32-bit word that outlives the call.
  ///   - deadline: measured on its own clock, so a step of the wall clock does not move an
  ///     uptime deadline.
  ///   - reason: the reason, for reports.
  ///   - resource: what the thread waits for. It knows which threads must continue first.
  ///   - since: when the wait began, on the uptime clock; nil for now. A wait that consists of
  ///     several calls passes the same time to each.
  package static func wait(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline,
    for reason: WaitReason, on resource: WaitResource, since: UInt64? = nil
  ) -> WaitOutcome {
    PutOffWork.doAll()
    let record = WaitRecord.ofThisThread
    var place = csb_place()
    csb_place_here(&place)
    record.publish(
      reason: reason, resource: resource, deadline: deadline, word: address, expected: expected,
      since: since, at: place)
    Probe.waitBegan(
      reason, on: resource, word: UInt(bitPattern: address), hasDeadline: !deadline.isNever)
    let outcome = sleep(
      while: address, is: expected, until: deadline, record, isForLock: reason.isForLock,
      // A thread that waits in a condition has released its lock first, so it closes no cycle.
      isOwned: resource.need != nil && reason != .condition)
    Probe.waitEnded(reason, on: resource, hasTimedOut: outcome == .timedOut)
    record.withdraw()
    return outcome
  }

  /// Chooses how to sleep. If the thread is a worker and the wait is long, another worker may run
  /// in its place.
  ///
  /// - Parameter isOwned: whether particular threads end the wait, so that it can be part of a
  ///   deadlock.
  private static func sleep(
    while address: UnsafeRawPointer, is expected: UInt32, until deadline: Deadline,
    _ record: WaitRecord, isForLock: Bool, isOwned: Bool
  ) -> WaitOutcome {
    if isForLock && ShortWait.sleep(while: address, is: expected, until: deadline) { return .woken }
    let worker = Pool.thisWorkerWillBlock()
    // If the deadline has passed, leave the timer slack unchanged: changing it costs more than such
    // a wait.
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
    if deadline.isNever && (isOwned || LongWait.isForAll) {
      return LongWait.sleep(while: address, is: expected, record, isOwned: isOwned)
    }
    return FutexSleeper.sleep(while: address, is: expected, until: deadline)
  }

  /// Sleeps until one of the sleeper's descriptors is readable, for `reason`.
  package static func wait(
    in sleeper: borrowing DescriptorSleeper, for reason: WaitReason, on resource: WaitResource
  ) -> DescriptorSleeper.Ready {
    PutOffWork.doAll()
    let record = WaitRecord.ofThisThread
    var place = csb_place()
    csb_place_here(&place)
    record.publish(reason: reason, resource: resource, deadline: .never, at: place)
    Probe.waitBegan(reason, on: resource, word: sleeper.traceWord, hasDeadline: false)
    let ready = sleeper.sleep()
    Probe.waitEnded(reason, on: resource, hasTimedOut: false)
    record.withdraw()
    return ready
  }

  /// Sleeps until one of the sleeper's descriptors is ready, a thread wakes it, or the
  /// uptime clock shows `deadline`. May return without a reason.
  ///
  /// - Parameters:
  ///   - deadline: `UInt64.max` for never.
  ///   - events: where to write the descriptors that are ready.
  package static func wait(
    in sleeper: borrowing DescriptorSleeper, until deadline: UInt64,
    into events: UnsafeMutableBufferPointer<DescriptorSleeper.Event>,
    for reason: WaitReason, on resource: WaitResource
  ) -> DescriptorSleeper.Found {
    PutOffWork.doAll()
    let record = WaitRecord.ofThisThread
    var place = csb_place()
    csb_place_here(&place)
    record.publish(
      reason: reason, resource: resource, deadline: Deadline(.uptime, deadline), at: place)
    Probe.waitBegan(
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
    // The caller finds out whether the deadline has passed.
    Probe.waitEnded(reason, on: resource, hasTimedOut: false)
    record.withdraw()
    return found
  }

  /// Lets another thread run. Call it when that thread needs only a few more instructions, but
  /// may have been preempted before them.
  package static func yield() { csb_thread_yield() }

  /// Wakes up to `count` threads asleep on the word at `address`.
  @inlinable package static func wake(_ address: UnsafeRawPointer, count: Int32 = 1) {
    Probe.wake(UInt(bitPattern: address))
    csb_futex_wake(address, count)
  }
}
