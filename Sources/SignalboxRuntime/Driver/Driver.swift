// Driver — descriptors and time: which thread polls, and what it calls for each event.
//
// States      see `PollerRole`. The first registration calls a poller. A poller that
//             returns with events leaves the role vacant or keeps it. The next poll ends
//             the role if nothing is registered.
// Touching    `shared`: under `lock`. The tables of descriptors have locks of their own,
//             and only a forking thread takes one of them while it holds `lock`.
// Invariants  I1  something is registered ⇒ a poller is called, asleep or about to
//                 return, or the registering thread is about to call one, or the system
//                 refused a thread: then the next worker without work polls.
// Rejected    a thread that only polls: every event would cost a hop.

import CSignalbox
import Synchronization

package final class Driver: @unchecked Sendable {  // SAFETY: see Touching.
  let lock = EngineLock()
  let kernel: any DriverKernel
  let descriptors: DescriptorTables
  let helpers: any PollerHelpers
  let role = PollerRole()
  let pace = HandlerPace()
  /// The watches of files, and of memory pressure.
  package let files: FileWatches
  package let pressure: MemoryPressure
  let shared: UnsafeMutablePointer<Shared>
  /// The clients of each signal.
  let signals = SignalTable()

  struct Shared: ~Copyable {
    var timers = TimerClocks()
    /// The guard of the poller's role; see `PollerRole`.
    var guarding = BackupPollerTimer()
    var isOpen = false
    /// Who must return to the run queue; see `sendToWork`.
    var sentToWork = SentToWork.nobody
    /// Whether the poller must, because there is no backup poller.
    var pollerMustWork: Bool { sentToWork == .eitherPoller && !guarding.hasBackupPoller }
  }

  enum SentToWork {
    case nobody, backupPoller
    /// The backup poller, or the poller if there is none.
    case eitherPoller
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

  /// Opens the kernel's objects with the first registration. They stay open until the
  /// process ends. The caller holds the lock.
  func open() -> Int32 {
    if shared.pointee.isOpen { return 0 }
    let error = kernel.open()
    shared.pointee.isOpen = error == 0
    return error
  }

  // MARK: Timers

  /// Calls `timer` when it is due. Any thread. The memory of the timer belongs to the
  /// caller; it must stay valid until the call, or until `cancel` returns true.
  package func arm(_ timer: TimerPointer) {
    // Record the event first: once the timer is pending, it may be called and freed.
    Probe.timerArmed(timer, Probe.due(timer))
    lock.lock()
    let calls = insert(timer)
    lock.unlock()
    if calls { helpers.callPoller() }
  }

  /// Inserts a timer. The caller holds the lock.
  ///
  /// - Returns: whether a poller must be called; pass it to `hasInserted` outside the
  ///   lock.
  func insert(_ timer: TimerPointer) -> Bool {
    let error = open()
    if error != 0 { DescriptorSleeper.refused(error, kernel.refusedCall) }
    shared.pointee.timers.insert(timer, kernel)
    return callsPoller()
  }

  /// - Parameter time: `Probe.timeOfArming`, read before the timer was inserted, because the timer
  ///   may have fired since.
  func hasInserted(_ timer: TimerPointer, due: Deadline, at time: UInt64, _ calls: Bool) {
    Probe.timerArmed(timer, due, at: time)
    if calls { helpers.callPoller() }
  }

  /// Cancels a timer.
  ///
  /// - Returns: whether the timer was still pending. If not, it has been called or is
  ///   about to be.
  package func cancel(_ timer: TimerPointer) -> Bool {
    lock.lock()
    let wasPending = shared.pointee.timers.remove(timer)
    lock.unlock()
    if wasPending { Probe.timerCancelled(timer, isGone: true) }
    return wasPending
  }

  // MARK: Descriptors

  /// Registers and arms a watch. Any thread.
  ///
  /// - Returns: the errno with which the kernel refused, or 0. EPERM: the descriptor
  ///   cannot be polled because it is always ready. EBADF: the descriptor is closed. Other
  ///   errors are possible.
  package func watch(_ watch: DescriptorWatch) -> Int32 {
    let error = register(watch)
    if error != 0 {
      watch.client = nil
      return error
    }
    // A poller that has already left did not see the watch. One that polls from now on
    // sees it.
    lock.lock()
    let calls = callsPoller()
    lock.unlock()
    if calls { helpers.callPoller() }
    return 0
  }

  private func register(_ watch: DescriptorWatch) -> Int32 {
    if watch.descriptor < 0 { return EBADF }
    let refused = lock.withLock { open() }
    return refused != 0 ? refused : descriptors.add(watch)
  }

  package var watches: Int { descriptors.count }

  /// Arms a watch again after its client was informed. With `forNews` the client is
  /// informed of the current state at once, and of each change from then on.
  package func arm(_ watch: DescriptorWatch, forNews: Bool = false) {
    descriptors.arm(watch, forNews: forNews)
  }

  /// Ends a watch. You can close the descriptor safely afterwards.
  package func unwatch(_ watch: DescriptorWatch) {
    descriptors.remove(watch)
  }

  /// Whether the caller must call a poller, because no worker had the role. If so, the role counts
  /// as called from now on. The caller holds the lock.
  func callsPoller() -> Bool { role.begin() }

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

  /// In a forked child: releases the copies of the parent's registrations, which stay in
  /// force in the parent. Timers and descriptors that are pending never fire in the
  /// child.
  func abandon() {
    if shared.pointee.isOpen { kernel.close() }
    files.abandon()
    pressure.abandon()
    signals.abandon()
  }

  /// The number of pending timers and watched descriptors.
  package var pendingCount: Int {
    lock.withLock { shared.pointee.timers.count + watches }
  }
}

/// Provides threads to the driver.
protocol PollerHelpers: Sendable {
  /// Makes a worker call `poll` and `deliver`.
  func callPoller()
  /// Makes a worker the backup poller.
  func callBackupPoller()
  /// Whether other workers run; may be out of date.
  var othersRun: Bool { get }
}

/// Uses the workers of the current engine's pool.
private struct PoolHelpers: PollerHelpers {
  func callPoller() { Engine.current.pool.call(.poll) }
  func callBackupPoller() { Engine.current.pool.call(.backupPoll) }
  var othersRun: Bool { Engine.current.pool.othersRun }
}
