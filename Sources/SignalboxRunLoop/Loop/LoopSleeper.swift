// LoopSleeper — what a loop sleeps in: a set of descriptors, one of which wakes it.
//
// Made when the loop first sleeps, or is first given a descriptor: a loop that does
// neither has no descriptors. The one that wakes it is never read: the set tells each write
// to it once.
//
// Touching    `sleeper`: any thread that has the loop. `events`: the loop's own thread. `forks`:
//             changed by that, under the loop's lock.
// Invariants  I1  the descriptors stay open as long as anyone has the loop, also beyond the
//                 thread's end: who wakes a loop never writes to another file that was
//                 given the number.

import SignalboxRuntime

final class LoopSleeper: @unchecked Sendable {  // SAFETY: see Touching.
  typealias Event = DescriptorSleeper.Event

  let sleeper = DescriptorSleeper(wakesOnce: true)
  // SAFETY: made and freed with this object.
  private let events = UnsafeMutableBufferPointer<Event>.allocate(capacity: 32)
  /// How many forks lay behind the process for which the descriptors were made.
  private var forks = Fork.count
  /// How often the descriptors were made anew. The same.
  private(set) var renewals = 0

  deinit {
    sleeper.close()
    events.deallocate()
  }

  /// What a look or a sleep has found. Good until the next one.
  struct Found {
    let events: UnsafeMutableBufferPointer<Event>.SubSequence
    let isWoken: Bool
  }

  /// What is ready now. One system call.
  func look() -> Found { found(sleeper.look(into: events)) }

  /// Whether a look would find something, which stays to be found. One system call.
  var isReady: Bool { sleeper.isReadable }

  /// Sleeps until something is ready, somebody wakes the loop, or it is time. May come back
  /// without a reason.
  func sleep(until deadline: UInt64, in mode: LoopMode) -> Found {
    found(
      WaitingDoor.wait(
        in: sleeper, until: deadline, into: events, for: .runLoop, on: mode.resource))
  }

  private func found(_ found: DescriptorSleeper.Found) -> Found {
    Found(events: events[..<found.count], isWoken: found.isWoken)
  }

  /// In a forked child, whose descriptors are the parent's too.
  ///
  /// - Returns: whether they are new, and so nothing is in the set.
  func renewIfForked() -> Bool {
    if isOfThisProcess { return false }
    renew()
    return true
  }

  /// Whether the descriptors are no other process's.
  var isOfThisProcess: Bool { forks == Fork.count }

  /// Has new descriptors under the same numbers, with nothing in the set. On the loop's
  /// thread, which does not sleep.
  func renew() {
    forks = Fork.count
    renewals += 1
    let error = sleeper.renew()
    if error != 0 {
      environmentFailure(
        "epoll_create1", error,
        "a run loop has no descriptors to sleep in; raise the limit (ulimit -n).")
    }
  }
}

extension CFRunLoop {
  /// Any thread.
  var sleeper: LoopSleeper { lazySleeper.load() ?? lazySleeper.storeIfNil(LoopSleeper()) }
}

extension LoopMode {
  /// What a thread waits for that sleeps in a loop.
  var resource: WaitResource {
    // SAFETY: the mode lives as long as its loop, which its sleeping thread keeps.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { Unmanaged<LoopMode>.fromOpaque($0).takeUnretainedValue().loop.words },
      situation: {
        let mode = Unmanaged<LoopMode>.fromOpaque($0).takeUnretainedValue()
        return ", in the mode \(mode.name.rawValue)"
      })
  }
}
