// TimerClocks — the pending timers of all clocks, and the kernel's timer of each.
//
// Touching    everything: under the driver's lock.
// Invariants  I1  the kernel's timer of a clock is set at or before the latest time of
//                 that clock's first timer, or the thread that inserted that timer is
//                 about to set it. After a cancellation it may be set too early: one
//                 needless wake-up is cheaper than a system call for each cancellation.

/// A timer that was taken out to be called, with its deadline. It may be rescheduled by
/// now.
struct DueTimer {
  let timer: TimerPointer
  let deadline: Deadline

  init(_ timer: TimerPointer) {
    self.timer = timer
    deadline = Deadline(timer.pointee.clock, timer.pointee.deadline)
  }
}

struct TimerClocks {
  private struct One {
    var heap = TimerHeap()
    /// The time for which the kernel's timer is set; 0 if it is not set.
    var setTo: UInt64 = 0
  }
  private var uptime = One()
  private var wall = One()
  private var continuous = One()

  var count: Int { uptime.heap.count + wall.heap.count + continuous.heap.count }
  var isEmpty: Bool { uptime.heap.isEmpty && wall.heap.isEmpty && continuous.heap.isEmpty }

  func forEachHeap(_ body: (TimerHeap) -> Void) {
    body(uptime.heap)
    body(wall.heap)
    body(continuous.heap)
  }

  mutating func insert(_ timer: TimerPointer, _ kernel: any DriverKernel) {
    let clock = timer.pointee.clock
    with(clock) { one in
      one.heap.insert(timer)
      let latest = timer.pointee.latest
      guard one.setTo == 0 || latest < one.setTo else { return }
      kernel.set(clock, to: latest)
      one.setTo = latest
    }
  }

  /// - Returns: whether the timer was pending.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    with(timer.pointee.clock) { $0.heap.remove(timer) }
  }

  /// The kernel's timer of `clock` has expired, so it is not set any more. This holds
  /// even if the clock was set back since and shows an earlier time.
  mutating func hasExpired(_ clock: Clock) { with(clock) { $0.setTo = 0 } }

  /// Takes out the timers that are due, and sets the kernel's timers for the rest.
  mutating func collect(into due: inout [DueTimer], _ kernel: any DriverKernel) {
    collect(.uptime, into: &due, kernel)
    collect(.wall, into: &due, kernel)
    collect(.continuous, into: &due, kernel)
  }

  private mutating func collect(
    _ clock: Clock, into due: inout [DueTimer], _ kernel: any DriverKernel
  ) {
    with(clock) { one in
      guard !one.heap.isEmpty else { return one.setTo = 0 }
      let now = kernel.now(clock)
      while let timer = one.heap.first, timer.pointee.deadline <= now {
        _ = one.heap.remove(timer)
        if timer.pointee.isRepeating { RepeatingTimer.keepOwner(timer) }
        due.append(DueTimer(timer))
      }
      guard let first = one.heap.first else { return one.setTo = 0 }
      // The kernel's timer is still set early enough.
      if one.setTo > now && one.setTo <= first.pointee.latest { return }
      kernel.set(clock, to: first.pointee.latest)
      one.setTo = first.pointee.latest
    }
  }

  @inline(__always)
  private mutating func with<T>(_ clock: Clock, _ body: (inout One) -> T) -> T {
    switch clock {
    case .uptime: body(&uptime)
    case .wall: body(&wall)
    case .continuous: body(&continuous)
    }
  }
}
