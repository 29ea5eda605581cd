// Driver — descriptors and time: who polls, and who is called when something is ready.
//
// States      see `PollerRole`. Whoever registers first calls a poller; the one that leaves
//             with what it found leaves the role vacant, or keeps it, if anything is still
//             registered.
// Touching    `shared`: under `lock`. The tables of descriptors have locks of their own,
//             never taken under this one.
// Invariants  I1  something is registered ⇒ a poller is called or asleep or will be back,
//                 or whoever registered it is about to call one.
// Rejected    a thread that only polls: every event would cost a hop.

import CSignalbox
import Synchronization

package final class Driver: @unchecked Sendable {  // SAFETY: see Touching.
  let lock = EngineLock()
  let kernel: any DriverKernel
  private let descriptors: DescriptorTables
  private let helpers: any PollerHelpers
  let role = PollerRole()
  let pace = HandlerPace()
  /// Who watches which file, and who the memory.
  package let files: FileWatches
  package let pressure: MemoryPressure
  let shared: UnsafeMutablePointer<Shared>
  /// Who is to be told of which signal.
  let signals = SignalTable()

  struct Shared: ~Copyable {
    var timers = TimerClocks()
    var guarding = PollerGuard()
    var isOpen = false
  }

  init(kernel: any DriverKernel, helpers: any PollerHelpers) {
    self.kernel = kernel
    self.helpers = helpers
    descriptors = DescriptorTables(kernel)
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
    let (inotify, files) = (InotifyKernel(), LinuxPressureKernel())
    self.files = FileWatches(inotify)
    pressure = MemoryPressure(files)
    inotify.driver = self
    files.driver = self
  }

  package convenience init() {
    self.init(kernel: LinuxKernel(), helpers: PoolHelpers())
  }

  deinit {
    shared.deinitialize(count: 1)
    shared.deallocate()
  }

  /// Under the lock: what the kernel has for us is made with the first registration
  /// and open until the process ends.
  func open() -> Int32 {
    if shared.pointee.isOpen { return 0 }
    let error = kernel.open()
    shared.pointee.isOpen = error == 0
    return error
  }

  // MARK: Timers

  /// Has `timer` called when it is due. Any thread. The timer's memory stays with the
  /// caller until it was called or `cancel` took it back.
  package func arm(_ timer: TimerPointer) {
    // Told before: once it is pending it may be called, and gone.
    Probe.timerArmed(timer, Probe.due(timer))
    lock.lock()
    let calls = insert(timer)
    lock.unlock()
    if calls { helpers.callPoller() }
  }

  /// Under the lock.
  ///
  /// - Returns: what `hasInserted` is to be told outside it.
  func insert(_ timer: TimerPointer) -> Bool {
    let error = open()
    if error != 0 { DescriptorSleeper.refused(error, kernel.refusedCall) }
    shared.pointee.timers.insert(timer, kernel)
    return needsPoller()
  }

  func hasInserted(_ timer: TimerPointer, due: Deadline, _ calls: Bool) {
    Probe.timerArmed(timer, due)
    if calls { helpers.callPoller() }
  }

  /// Takes a timer back.
  ///
  /// - Returns: whether it was still pending; if not, it has been or is about
  ///   to be called.
  package func cancel(_ timer: TimerPointer) -> Bool {
    lock.lock()
    let wasPending = shared.pointee.timers.remove(timer)
    lock.unlock()
    if wasPending { Probe.timerCancelled(timer, isGone: true) }
    return wasPending
  }

  // MARK: Descriptors

  /// Watches a descriptor: registered and armed. Any thread.
  ///
  /// - Returns: the errno of what the kernel refused: EPERM where it cannot be polled
  ///   because it is always ready, EBADF where it is closed, and others.
  package func watch(_ watch: DescriptorWatch) -> Int32 {
    let error = register(watch)
    if error != 0 {
      watch.client = nil
      return error
    }
    // A poller that has left by now did not see it; one that looks from now on does.
    lock.lock()
    let calls = needsPoller()
    lock.unlock()
    if calls { helpers.callPoller() }
    return 0
  }

  private func register(_ watch: DescriptorWatch) -> Int32 {
    if watch.descriptor < 0 { return EBADF }
    let refused = lock.withLock { open() }
    return refused != 0 ? refused : descriptors.add(watch)
  }

  /// How many descriptors are watched.
  private var watches: Int { descriptors.count }

  /// Arms a watch again after it was told. With `forNews` it is told of each change
  /// from now on, and at once of how things stand.
  package func arm(_ watch: DescriptorWatch, forNews: Bool = false) {
    descriptors.arm(watch, forNews: forNews)
  }

  /// Ends a watch. Closing the descriptor afterwards is safe.
  package func unwatch(_ watch: DescriptorWatch) {
    descriptors.remove(watch)
  }

  // MARK: The poller

  /// Under the lock: whether the caller must call a poller.
  private func needsPoller() -> Bool { role.begin() }

  /// What became due or ready.
  struct Found {
    var timers: [DueTimer] = []
    var ready: [DescriptorTable.Ready] = []
    var gone: [DescriptorTable.Gone] = []
    var callsDeputy = false
    /// Whether the poller keeps its role.
    var keepsRole = false
    /// Clocks whose timers in the kernel have gone off.
    fileprivate var expired: [Clock] = []
    var count: Int { timers.count + ready.count + gone.count }
    var isEmpty: Bool { count == 0 }
  }

  /// Sleeps until something is due or ready, or nothing is registered any more. The
  /// caller has the role; afterwards it has not, or keeps it.
  func poll(as worker: UInt32 = 0) -> Found {
    var found = Found()
    var slept: UInt64?
    while true {
      lock.lock()
      collectTimers(into: &found)
      let now = kernel.now(.uptime)
      if let slept { shared.pointee.guarding.hasSlept(now - slept) }
      if !found.isEmpty {
        leaveRole(to: worker, now, &found)
        lock.unlock()
        return found
      }
      if shared.pointee.timers.isEmpty && watches == 0 {
        endRole()
        lock.unlock()
        return found
      }
      shared.pointee.guarding.takeOff(kernel)
      let looks = shared.pointee.guarding.isTalking
      lock.unlock()
      slept = now
      sleep(into: &found, looksFirst: looks && helpers.othersRun)
    }
  }

  /// Looks what is due or ready, and keeps the role. The caller has it.
  func look(as worker: UInt32) -> Found {
    var found = Found()
    collect(into: &found) { kernel.look($0) }
    lock.lock()
    collectTimers(into: &found)
    leaveRole(to: worker, kernel.now(.uptime), &found)
    lock.unlock()
    return found
  }

  /// Under the lock: the poller leaves the role for a while.
  private func leaveRole(to worker: UInt32, _ now: UInt64, _ found: inout Found) {
    found.keepsRole = pace.isShort
    if found.keepsRole { role.keep(for: worker) } else { role.vacate() }
    shared.pointee.guarding.set(kernel, now)
    found.callsDeputy = !shared.pointee.guarding.hasDeputy
    shared.pointee.guarding.hasDeputy = true
  }

  private func sleep(into found: inout Found, looksFirst: Bool) {
    collect(into: &found) { events in
      let count = looksFirst ? lookAgain(events) : 0
      return count == 0 ? kernel.wait(events) : count
    }
  }

  private func collect(
    into found: inout Found, _ ask: (UnsafeMutableBufferPointer<KernelEvent>) -> Int
  ) {
    withUnsafeTemporaryAllocation(of: KernelEvent.self, capacity: Int(CSB_EPOLL_BATCH)) {
      let count = ask($0)
      guard count > 0 else { return }
      for event in $0[..<count] where event.isTimer {
        if let clock = event.clock { found.expired.append(clock) }
      }
      descriptors.collect(UnsafeBufferPointer(rebasing: $0[..<count]), into: &found)
    }
  }

  /// Under the lock.
  private func collectTimers(into found: inout Found) {
    for clock in found.expired { shared.pointee.timers.hasExpired(clock) }
    found.expired.removeAll(keepingCapacity: true)
    shared.pointee.timers.collect(into: &found.timers, kernel)
  }

  /// Waits some microseconds: where those who are running bring events about, to fall asleep
  /// and be woken for each costs more, of both sides.
  private func lookAgain(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int {
    for _ in 0..<PollerGuard.spins { csb_spin_hint() }
    return kernel.look(events)
  }

  /// Tells everybody what was found.
  func deliver(_ found: consuming Found) {
    if found.callsDeputy { helpers.callDeputy() }
    for due in found.timers {
      let timer = due.timer
      Probe.timerFired(timer, due.deadline)
      timer.pointee.function(UnsafeMutableRawPointer(timer))
    }
    for ready in found.ready { ready.client.isReady(ready.watch, ready.events) }
    for gone in found.gone { descriptors.end(gone) }
  }

  // MARK: The deputy

  /// Sleeps until the role must be taken, or there is nothing to guard.
  ///
  /// - Returns: whether the caller is the poller now.
  func deputize() -> Bool {
    while true {
      kernel.waitForGuard()
      lock.lock()
      shared.pointee.guarding.hasGoneOff()
      let polls = role.takeOver()
      let stays = !polls && !role.isNone
      if !stays { shared.pointee.guarding.hasDeputy = false }
      lock.unlock()
      if !stays { return polls }
    }
  }

  // MARK: Refused threads

  /// No thread could be started to poll.
  func pollerFailed() { lock.withLock { endRole() } }

  func deputyFailed() { lock.withLock { shared.pointee.guarding.hasDeputy = false } }

  /// Where a thread was refused: tries again.
  func callForRefused() {
    lock.lock()
    let isRegistered = !shared.pointee.timers.isEmpty || watches > 0
    let calls = isRegistered && needsPoller()
    lock.unlock()
    if calls || role.takeOver() { helpers.callPoller() }
  }

  /// Under the lock.
  private func endRole() {
    role.end()
    shared.pointee.guarding.dismissDeputy(kernel)
  }

  // MARK: Fork

  func lockForFork() {
    lock.lock()
    descriptors.lockForFork()
    signals.lockForFork()
    pressure.lockForFork()
  }

  func unlockAfterFork() {
    pressure.unlockAfterFork()
    signals.unlockAfterFork()
    descriptors.unlockAfterFork()
    lock.unlock()
  }

  /// In a forked child: gives back what stands for the parent's registrations, which go
  /// on there. Those pending never come due here.
  func abandon() {
    if shared.pointee.isOpen { kernel.close() }
    files.abandon()
    pressure.abandon()
    signals.abandon()
  }

  /// How many timers are pending and descriptors watched.
  package var pendingCount: Int {
    lock.withLock { shared.pointee.timers.count + watches }
  }
}

/// Whom the driver has called when it needs a thread.
protocol PollerHelpers: Sendable {
  /// Has somebody `poll` and `deliver`.
  func callPoller()
  /// Has somebody be the deputy.
  func callDeputy()
  /// A hint.
  var othersRun: Bool { get }
}

/// The workers of the engine in use.
private struct PoolHelpers: PollerHelpers {
  func callPoller() { Engine.current.pool.call(.poll) }
  func callDeputy() { Engine.current.pool.call(.deputize) }
  var othersRun: Bool { Engine.current.pool.othersRun }
}
