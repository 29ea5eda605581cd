// LoopSleeper — the epoll set in which a loop sleeps, with a descriptor that wakes it.
//
// Created when the loop first sleeps or first watches a descriptor; until then a loop has no
// descriptors. The loop never reads the waking descriptor: the set reports each write to it
// once.
//
// Touching    `sleeper`: any thread that has the loop. `events`: the loop's own thread.
//             `forkCount`: changed by that thread, under the loop's lock.
// Invariants  I1  the descriptors stay open as long as any thread holds a reference to the loop,
//                 even after its thread has ended. So a thread that wakes a loop never writes to
//                 another file that has received the same number.

import SignalboxRuntime

final class LoopSleeper: @unchecked Sendable {  // SAFETY: see Touching.
  typealias Event = DescriptorSleeper.Event

  let sleeper = DescriptorSleeper(wakesOnce: true)
  // SAFETY: allocated and freed with this object.
  private let events = UnsafeMutableBufferPointer<Event>.allocate(capacity: 32)
  /// The process's fork count when the descriptors were created.
  private var forkCount = Fork.count
  /// How many times the descriptors were recreated. Same access rules as
  /// `forkCount`.
  private(set) var renewals = 0

  deinit {
    sleeper.close()
    events.deallocate()
  }

  /// The events of a poll or a sleep. Valid until the next one.
  struct Found {
    let events: UnsafeMutableBufferPointer<Event>.SubSequence
    let isWoken: Bool
  }

  /// The events that are ready now. One system call.
  func look() -> Found { found(sleeper.look(into: events)) }

  /// Whether a poll would find an event; leaves the event in the set. One system call.
  var isReady: Bool { sleeper.isReadable }

  /// Sleeps until something is ready, a thread wakes the loop, or the deadline passes. May
  /// return without a reason.
  func sleep(until deadline: UInt64, in mode: LoopMode) -> Found {
    found(
      Parking.wait(
        in: sleeper, until: deadline, into: events, for: .runLoop, on: mode.resource))
  }

  private func found(_ found: DescriptorSleeper.Found) -> Found {
    Found(events: events[..<found.count], isWoken: found.isWoken)
  }

  /// Recreates the descriptors in a forked child, which shares the old ones with its parent.
  ///
  /// - Returns: whether it recreated them, which leaves the set empty.
  func renewIfForked() -> Bool {
    if isOfThisProcess { return false }
    renew()
    return true
  }

  /// Whether the descriptors belong to this process alone.
  var isOfThisProcess: Bool { forkCount == Fork.count }

  /// Recreates the descriptors under the same numbers, with an empty set. Call on the loop's
  /// thread, while it is awake.
  func renew() {
    forkCount = Fork.count
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
  /// Call from any thread.
  var sleeper: LoopSleeper { lazySleeper.load() ?? lazySleeper.storeIfNil(LoopSleeper()) }
}

extension LoopMode {
  /// The resource that a thread waits for while it sleeps in a loop.
  var resource: WaitResource {
    // SAFETY: the mode lives as long as its loop, to which the sleeping thread holds a reference.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { Unmanaged<LoopMode>.fromOpaque($0).takeUnretainedValue().loop.words },
      situation: {
        let mode = Unmanaged<LoopMode>.fromOpaque($0).takeUnretainedValue()
        return ", in the mode \(mode.name.rawValue)"
      }, view: OutsideView("its run loop", label: .whole))
  }
}
