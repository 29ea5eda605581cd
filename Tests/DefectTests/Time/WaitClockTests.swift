// WaitClockTests — D16: a wait follows the clock that its deadline names.
//
// Setting the wall clock would show this, but needs a privilege and disturbs the
// whole machine. Instead, the tests read what the kernel reports about the waiting
// thread: `/proc/self/task/N/syscall` gives the call in which it sleeps and the call's
// arguments. An absolute timeout counts on CLOCK_REALTIME if the call says
// so, and on CLOCK_MONOTONIC otherwise; a relative timeout always counts on
// CLOCK_MONOTONIC.
//
// Sources     futex(2): FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_CLOCK_REALTIME;
//             proc(5): /proc/pid/syscall.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WaitClockTests {
  enum Clock: Equatable { case monotonic, wall }

  enum Subject: CaseIterable {
    case semaphore, group, workItem
  }

  /// A lock's limit is a `Date`, which names the wall clock.
  @Test func aLocksLimitCountsOnTheWallClock() throws {
    let lock = NSLock()
    lock.lock()
    let found = try Self.clock(
      wait: {
        let limit = Double(RealTime.life.wholeNanoseconds) / 1e9
        guard lock.lock(before: Date() + limit) else { return .timedOut }
        lock.unlock()
        return .success
      }, release: { lock.unlock() })
    #expect(found == .wall)
  }

  enum DatedWait: CaseIterable {
    case recursiveLock, condition, conditionLock, conditionLockForValue
  }

  /// The same holds for every other wait with a `Date`.
  @Test(arguments: DatedWait.allCases)
  func aConditionsLimitCountsOnTheWallClock(_ wait: DatedWait) throws {
    let recursive = NSRecursiveLock()
    let condition = NSCondition()
    let value = NSConditionLock(condition: 0)
    if wait == .recursiveLock { recursive.lock() }
    if wait == .conditionLock { value.lock() }
    let found = try Self.clock(
      wait: {
        let limit = Date() + Double(RealTime.life.wholeNanoseconds) / 1e9
        let ended: Bool
        switch wait {
        case .recursiveLock:
          ended = recursive.lock(before: limit)
          if ended { recursive.unlock() }
        case .condition:
          condition.lock()
          ended = condition.wait(until: limit)
          condition.unlock()
        case .conditionLock:
          ended = value.lock(before: limit)
          if ended { value.unlock() }
        case .conditionLockForValue:
          ended = value.lock(whenCondition: 1, before: limit)
          if ended { value.unlock() }
        }
        return ended ? .success : .timedOut
      },
      release: {
        switch wait {
        case .recursiveLock: recursive.unlock()
        case .condition: condition.signal()
        case .conditionLock: value.unlock()
        case .conditionLockForValue:
          value.lock()
          value.unlock(withCondition: 1)
        }
      })
    #expect(found == .wall)
  }

  /// A limit that is never reached is no limit, and counts on no clock.
  @Test(arguments: [false, true])
  func aLockWithoutALimitSleepsWithoutAClock(isDistant: Bool) throws {
    let lock = NSLock()
    lock.lock()
    let number = Guarded(0)
    let waiter = try PlainThread {
      number.withValue { $0 = kernelThreadNumber() }
      if isDistant { #expect(lock.lock(before: .distantFuture)) } else { lock.lock() }
      lock.unlock()
    }
    _ = number.wait(limit: RealTime.wedge) { $0 != 0 }
    // It sometimes sleeps with a limit of the library's own, to search for deadlocks, on the
    // monotonic clock. It never sleeps on the wall clock.
    let end = Uptime.now() + RealTime.settling
    var clocks: [Clock] = []
    while Uptime.now() < end {
      if let clock = SleepingCall(thread: number.current)?.clock { clocks.append(clock) }
    }
    lock.unlock()
    try waiter.join()
    #expect(!clocks.contains(.wall))
  }

  /// The call in which a thread sleeps.
  struct SleepingCall {
    let number: Int
    let arguments: [UInt]

    init?(thread: Int) {
      guard let text = ThreadCensus.contents(ofFile: "/proc/self/task/\(thread)/syscall")
      else { return nil }
      let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" })
      guard words.count >= 7, let number = Int(words[0]) else { return nil }
      self.number = number
      arguments = words[1...6].compactMap { UInt($0.dropFirst(2), radix: 16) }
    }

    /// The clock of the timeout, if this is a wait with a timeout.
    var clock: Clock? {
      guard isFutex, arguments.count == 6, arguments[3] != 0 else { return nil }
      let countsOnWallClock = arguments[1] & 256 != 0
      switch arguments[1] & 127 {
      case 0, 9: return countsOnWallClock ? .wall : .monotonic
      default: return nil
      }
    }

    private var isFutex: Bool {
      #if arch(x86_64)
        number == 202
      #elseif arch(arm64)
        number == 98
      #endif
    }
  }

  /// Waits on a thread of its own in the given way, and returns the clock of the timeout that
  /// the kernel holds for that thread.
  static func clock(
    wait: @escaping @Sendable () -> DispatchTimeoutResult, release: () -> Void
  ) throws -> Clock {
    let number = Guarded(0)
    let results = EventLog<DispatchTimeoutResult>()
    let waiter = try PlainThread {
      number.withValue { $0 = kernelThreadNumber() }
      results.append(wait())
    }
    _ = number.wait(limit: RealTime.wedge) { $0 != 0 }
    let end = Uptime.now() + RealTime.wedge
    var clock: Clock?
    while clock == nil && Uptime.now() < end {
      letRealTimePass(.milliseconds(1))
      clock = SleepingCall(thread: number.current)?.clock
    }
    release()
    try waiter.join()
    #expect(results.all == [.success])
    return try #require(clock, "the thread was never seen in a timed wait")
  }

  @Test(arguments: Subject.allCases, [Clock.monotonic, .wall])
  func waitCountsOnTheClockOfItsDeadline(_ subject: Subject, _ clock: Clock) throws {
    let uptime = DispatchTime.now() + .nanoseconds(Int(RealTime.life.wholeNanoseconds))
    let wall = DispatchWallTime.now() + .nanoseconds(Int(RealTime.life.wholeNanoseconds))
    let found: Clock
    switch subject {
    case .semaphore:
      let semaphore = DispatchSemaphore(value: 0)
      found = try Self.clock(
        wait: {
          clock == .monotonic
            ? semaphore.wait(timeout: uptime) : semaphore.wait(wallTimeout: wall)
        },
        release: { semaphore.signal() })
    case .group:
      let group = DispatchGroup()
      group.enter()
      found = try Self.clock(
        wait: {
          clock == .monotonic ? group.wait(timeout: uptime) : group.wait(wallTimeout: wall)
        },
        release: { group.leave() })
    case .workItem:
      // SAFETY: any thread may call a work item's methods.
      nonisolated(unsafe) let item = DispatchWorkItem {}
      found = try Self.clock(
        wait: {
          clock == .monotonic ? item.wait(timeout: uptime) : item.wait(wallTimeout: wall)
        },
        release: { item.perform() })
    }
    #expect(found == clock)
  }
}
