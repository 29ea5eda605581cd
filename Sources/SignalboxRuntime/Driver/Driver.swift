// Driver — time: the timers of every clock, and who is called when they are due.
//
// States      timekeeper: none → called (on its way, or asleep) → none. Whoever arms the first
//             timer calls one; the one that leaves calls the next if timers
//             remain.
// Touching    `heaps`, `keeper`, `armed`: under `lock`. The descriptors: any
//             thread; the kernel orders their changes.
// Invariants  I1  timers pending ⇒ a timekeeper is called or asleep, or the
//                 holder of the lock is about to call one.
//             I2  the timerfd of a clock is armed at or before its earliest
//                 timer's deadline, or the one who inserted that timer is about
//                 to arm it. It may be armed earlier, after a cancellation:
//                 one wake-up for nothing is cheaper than a system call each.
// Rejected    a thread that only keeps time: every timer would cost a hop.

import CSignalbox

package final class Driver: @unchecked Sendable {  // SAFETY: what varies is guarded by `lock`.
  private let lock = EngineLock()
  private let shared: UnsafeMutablePointer<Shared>

  private struct Shared: ~Copyable {
    var heaps = (uptime: TimerHeap(), wall: TimerHeap())
    var keeper = Keeper.none
    /// What the timerfds are set to; 0: not set.
    var armed = (uptime: UInt64(0), wall: UInt64(0))
    var descriptors: Descriptors?
  }

  private enum Keeper { case none, called }

  /// Made with the first timer, open until the process ends.
  private struct Descriptors {
    let set: Int32
    let uptime: Int32
    let wall: Int32

    init() {
      set = DescriptorSleeper.checked(csb_epoll_create(), "epoll_create1")
      uptime = DescriptorSleeper.checked(csb_timerfd_create(0), "timerfd_create")
      wall = DescriptorSleeper.checked(csb_timerfd_create(1), "timerfd_create")
      for timer in [uptime, wall] {
        let error = csb_epoll_add_readable(set, timer, UInt64(timer))
        if error != 0 { DescriptorSleeper.refused(error, "epoll_ctl") }
      }
    }

    func timer(of clock: Clock) -> Int32 { clock == .uptime ? uptime : wall }
  }

  package init() {
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
  }

  // MARK: Arming and cancelling

  /// Has `timer` called at its deadline. Any thread. The timer's memory stays
  /// with the caller until it was called or `cancel` took it back.
  package func arm(_ timer: TimerPointer) {
    lock.lock()
    let clock = timer.pointee.clock
    let deadline = timer.pointee.deadline
    insert(timer)
    let rearm = needsEarlier(deadline, on: clock)
    let callKeeper = shared.pointee.keeper == .none
    shared.pointee.keeper = .called
    if rearm { setDescriptor(of: clock, to: deadline) }
    lock.unlock()
    Probe.timer(.timerArmed, timer)
    if callKeeper { Engine.current.pool.callTimekeeper() }
  }

  /// Takes a timer back.
  ///
  /// - Returns: whether it was still pending; if not, it has been or is about
  ///   to be called.
  package func cancel(_ timer: TimerPointer) -> Bool {
    lock.lock()
    let wasPending =
      timer.pointee.clock == .uptime
      ? shared.pointee.heaps.uptime.remove(timer) : shared.pointee.heaps.wall.remove(timer)
    lock.unlock()
    if wasPending { Probe.timer(.timerCancelled, timer) }
    return wasPending
  }

  private func insert(_ timer: TimerPointer) {
    if timer.pointee.clock == .uptime {
      shared.pointee.heaps.uptime.insert(timer)
    } else {
      shared.pointee.heaps.wall.insert(timer)
    }
  }

  private func needsEarlier(_ deadline: UInt64, on clock: Clock) -> Bool {
    let armed = clock == .uptime ? shared.pointee.armed.uptime : shared.pointee.armed.wall
    return armed == 0 || deadline < armed
  }

  /// Under the lock, so that two settings cannot overtake each other. A third
  /// of a microsecond, and only for a timer that is earlier than all others.
  private func setDescriptor(of clock: Clock, to deadline: UInt64) {
    if shared.pointee.descriptors == nil { shared.pointee.descriptors = Descriptors() }
    // A deadline of 0 would disarm; 1 is as long past. The kernel refuses
    // what lies beyond its signed range: such a timer is never due.
    let kernelDeadline = min(max(deadline, 1), UInt64(Int64.max))
    let error = csb_timerfd_arm(shared.pointee.descriptors!.timer(of: clock), kernelDeadline)
    if error != 0 { internalBug("timerfd_settime failed with errno \(error)") }
    if clock == .uptime {
      shared.pointee.armed.uptime = kernelDeadline
    } else {
      shared.pointee.armed.wall = kernelDeadline
    }
  }

  // MARK: The timekeeper

  /// The timers that became due, and whether another timekeeper is needed.
  struct Due {
    var timers: [TimerPointer] = []
    var callNext = false
  }

  /// Sleeps until at least one timer is due, or none is left.
  func sleepUntilDue() -> Due {
    while true {
      lock.lock()
      var due = Due()
      collect(into: &due)
      let left = !shared.pointee.heaps.uptime.isEmpty || !shared.pointee.heaps.wall.isEmpty
      if !due.timers.isEmpty || !left {
        due.callNext = left
        shared.pointee.keeper = left ? .called : .none
        lock.unlock()
        return due
      }
      let descriptors = shared.pointee.descriptors!
      lock.unlock()
      sleep(descriptors)
    }
  }

  private func sleep(_ descriptors: Descriptors) {
    var tokens: (UInt64, UInt64) = (0, 0)
    let count = withUnsafeMutableBytes(of: &tokens) {
      csb_epoll_wait(
        // SAFETY: two UInt64.
        descriptors.set, $0.baseAddress!.assumingMemoryBound(to: UInt64.self), 2, -1)
    }
    if count < 0 && count != -EINTR { internalBug("epoll_wait failed with errno \(-count)") }
    _ = csb_descriptor_drain(descriptors.uptime)
    _ = csb_descriptor_drain(descriptors.wall)
  }

  /// Under the lock: takes out what is due and arms the clocks for the rest.
  private func collect(into due: inout Due) {
    collect(.uptime, &shared.pointee.heaps.uptime, into: &due)
    collect(.wall, &shared.pointee.heaps.wall, into: &due)
  }

  private func collect(_ clock: Clock, _ heap: inout TimerHeap, into due: inout Due) {
    guard heap.earliest != nil else { return forget(clock) }
    let now = clock.now
    while let timer = heap.earliest, timer.pointee.deadline <= now {
      _ = heap.remove(timer)
      due.timers.append(timer)
    }
    if let timer = heap.earliest {
      setDescriptor(of: clock, to: timer.pointee.deadline)
    } else {
      forget(clock)
    }
  }

  /// Nothing is pending on `clock`: what its descriptor was set to no longer
  /// counts.
  private func forget(_ clock: Clock) {
    if clock == .uptime { shared.pointee.armed.uptime = 0 } else { shared.pointee.armed.wall = 0 }
  }

  /// Calls what is due, after the next timekeeper.
  func fire(_ due: Due) {
    if due.callNext { Engine.current.pool.callTimekeeper() }
    for timer in due.timers {
      Probe.timerFired(timer)
      timer.pointee.function(UnsafeMutableRawPointer(timer))
    }
  }

  /// No thread could be started for the timekeeper: the next timer tries again.
  func timekeeperFailed() {
    lock.withLock { shared.pointee.keeper = .none }
    complain("no thread could be started to keep time: timers wait for the next one to be set")
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: gives back what stands for the parent's timers, which go
  /// on there. Those pending never come due here.
  func abandon() {
    guard let descriptors = shared.pointee.descriptors else { return }
    csb_descriptor_close(descriptors.set)
    csb_descriptor_close(descriptors.uptime)
    csb_descriptor_close(descriptors.wall)
  }

  /// How many timers are pending.
  package var pendingCount: Int {
    lock.withLock { shared.pointee.heaps.uptime.count + shared.pointee.heaps.wall.count }
  }
}
