// Driver — descriptors and time: who polls, and who is called when something is ready.
//
// States      see `PollerRole`. Whoever registers first calls a poller; the one that leaves
//             with what it found passes the role on, if anything is still registered.
// Touching    `shared`: under `lock`. The table of descriptors has a lock of its own,
//             never taken under this one.
// Invariants  I1  something is registered ⇒ a poller is called or asleep or will be back,
//                 or whoever registered it is about to call one.
// Rejected    a thread that only polls: every event would cost a hop.

import CSignalbox
import Synchronization

package final class Driver: @unchecked Sendable {  // SAFETY: see Touching.
  let lock = EngineLock()
  let kernel: any DriverKernel
  private let descriptors: DescriptorTable
  private let helpers: any PollerHelpers
  let role = PollerRole()
  let shared: UnsafeMutablePointer<Shared>

  struct Shared: ~Copyable {
    var timers = TimerClocks()
    /// How many descriptors are watched.
    var watches = 0
    var isOpen = false
  }

  init(kernel: any DriverKernel, helpers: any PollerHelpers) {
    self.kernel = kernel
    self.helpers = helpers
    descriptors = DescriptorTable(kernel)
    shared = .allocate(capacity: 1)
    shared.initialize(to: Shared())
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
    lock.lock()
    let calls = insert(timer)
    lock.unlock()
    hasInserted(timer, calls)
  }

  /// Under the lock.
  ///
  /// - Returns: what `hasInserted` is to be told outside it.
  func insert(_ timer: TimerPointer) -> Bool {
    let error = open()
    if error != 0 { DescriptorSleeper.refused(error, "timerfd_create") }
    shared.pointee.timers.insert(timer, kernel)
    return needsPoller()
  }

  func hasInserted(_ timer: TimerPointer, _ calls: Bool) {
    Probe.timer(.timerArmed, timer)
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
    if wasPending { Probe.timer(.timerCancelled, timer) }
    return wasPending
  }

  // MARK: Descriptors

  /// Watches a descriptor: registered and armed. Any thread.
  ///
  /// - Returns: the errno of what the kernel refused: EPERM where it cannot be polled
  ///   because it is always ready, EBADF where it is closed, and others.
  package func watch(_ watch: DescriptorWatch) -> Int32 {
    if watch.descriptor < 0 { return EBADF }
    let refused = lock.withLock { open() }
    if refused != 0 { return refused }
    // Counted first: a poller that finds nothing registered must not leave now.
    lock.lock()
    shared.pointee.watches += 1
    lock.unlock()
    let error = descriptors.add(watch)
    lock.lock()
    if error != 0 { shared.pointee.watches -= 1 }
    let calls = error == 0 && needsPoller()
    lock.unlock()
    if calls { helpers.callPoller() }
    return error
  }

  /// Arms a watch again after it was told. With `forNews` it is told of each change
  /// from now on, and at once of how things stand.
  package func arm(_ watch: DescriptorWatch, forNews: Bool = false) {
    descriptors.arm(watch, forNews: forNews)
  }

  /// Ends a watch. Closing the descriptor afterwards is safe.
  package func unwatch(_ watch: DescriptorWatch) {
    if descriptors.remove(watch) { lock.withLock { shared.pointee.watches -= 1 } }
  }

  // MARK: The poller

  /// Under the lock: whether the caller must call a poller.
  private func needsPoller() -> Bool { role.begin() }

  /// What became due or ready, and who must be called before it is told.
  struct Found {
    var timers: [TimerPointer] = []
    var descriptors: [DescriptorTable.Ready] = []
    var call = Call.nobody
    var isEmpty: Bool { timers.isEmpty && descriptors.isEmpty }
  }

  enum Call { case nobody, poller, deputy }

  /// Sleeps until something is due or ready, or nothing is registered any more. The
  /// caller has the role; afterwards it has not.
  func poll() -> Found {
    var found = Found()
    let began = kernel.now(.uptime)
    while true {
      lock.lock()
      shared.pointee.timers.collect(into: &found.timers, kernel)
      let left = !shared.pointee.timers.isEmpty || shared.pointee.watches > 0
      if !found.isEmpty || !left {
        if !left { role.end() }
        lock.unlock()
        if left { found.call = passRole(began) }
        return found
      }
      lock.unlock()
      sleep(into: &found)
    }
  }

  private func passRole(_ began: UInt64) -> Call {
    let slept = kernel.now(.uptime) &- began
    if slept >= PollerRole.shortSleep { return .poller }
    return role.vacate() ? .deputy : .nobody
  }

  private func sleep(into found: inout Found) {
    withUnsafeTemporaryAllocation(of: KernelEvent.self, capacity: Int(CSB_EPOLL_BATCH)) {
      let count = kernel.wait($0)
      if count > 0 {
        descriptors.collect(UnsafeBufferPointer(rebasing: $0[..<count]), into: &found.descriptors)
      }
    }
  }

  /// Tells everybody, after calling who takes over.
  func deliver(_ found: consuming Found) {
    switch found.call {
    case .nobody: break
    case .poller: helpers.callPoller()
    case .deputy: helpers.callDeputy()
    }
    for timer in found.timers {
      Probe.timerFired(timer)
      timer.pointee.function(UnsafeMutableRawPointer(timer))
    }
    for ready in found.descriptors { ready.watch.client.isReady(ready.watch, ready.events) }
  }

  /// No thread could be started to poll: the next registration tries again.
  func pollerFailed() {
    lock.withLock { role.end() }
    complain(
      "no thread could be started to wait for timers and descriptors: they wait for the next "
        + "one to be set")
  }

  // MARK: Fork

  func lockForFork() {
    lock.lock()
    descriptors.lockForFork()
  }

  func unlockAfterFork() {
    descriptors.unlockAfterFork()
    lock.unlock()
  }

  /// In a forked child: gives back what stands for the parent's registrations, which go
  /// on there. Those pending never come due here.
  func abandon() {
    if shared.pointee.isOpen { kernel.close() }
  }

  /// How many timers are pending and descriptors watched.
  package var pendingCount: Int {
    lock.withLock { shared.pointee.timers.count + shared.pointee.watches }
  }
}

/// Whom the driver has called when it needs a thread.
protocol PollerHelpers: Sendable {
  /// Has somebody `poll` and `deliver`.
  func callPoller()
  /// Has somebody be the deputy.
  func callDeputy()
}

/// The workers of the engine in use.
private struct PoolHelpers: PollerHelpers {
  func callPoller() { Engine.current.pool.call(.poll) }
  func callDeputy() { Engine.current.pool.call(.deputize) }
}
