// MemoryPressure — watches memory pressure: the clients, and the files that report it.
//
// The files of the process's own control group and of the system are watched together: a
// group may be short of memory on a machine with plenty, and the other way round. If the
// kernel accepts no trigger, the counters of the group replace both.
//
// The files are opened for the first client and closed after the last. Without pressure no
// thread wakes. Under pressure, a timer checks whether the pressure has ended.
//
// Touching    opening and closing the files: under `changes`. `clients`, `triggers`,
//             `machine`, `isTimerSet`: under `lock`, which a thread may take while it
//             holds `changes`.
// Invariants  I1  `isTimerSet` ⇔ the timer is pending, or `timeIsUp` is on its way, or
//                 the thread that set the flag is about to set the timer.
//             I2  there is pressure ⇒ `isTimerSet`.
//             I3  counters are armed only while there is no pressure: under pressure
//                 they may change a hundred times a second, and the timer reads them.

import CSignalbox

/// A client of the watch over memory pressure.
package protocol PressureClient: AnyObject, Sendable {
  /// The level has changed, or the client was added under pressure. The poller, or the
  /// thread that adds the client, calls this outside all locks. The client must not wait.
  func pressureIs(_ level: PressureLevel)
}

/// Why memory pressure cannot be watched.
package struct PressureRefusal: Equatable, Sendable {
  package let error: Int32
  /// Each file with the reason why it cannot be used.
  package let files: [String]

  package var text: String { files.joined(separator: "; ") }
}

package final class MemoryPressure: DescriptorClient, @unchecked Sendable {
  // SAFETY: see Touching.
  private let kernel: any PressureKernel
  /// The process that created this object. A forked child does not use its parent's.
  private let fork = Fork.count
  private let changes = EngineLock()

  private let lock = EngineLock()
  private var clients: [any PressureClient] = []
  private var triggers: [PressureTrigger] = []
  private var machine = PressureStateMachine()
  private var isTimerSet = false

  package init(_ kernel: any PressureKernel) { self.kernel = kernel }

  // MARK: Clients

  /// Reports each change of the level to `client` from now on, and the level at once if
  /// there is pressure. Any thread.
  package func add(_ client: any PressureClient) -> PressureRefusal? {
    changes.lock()
    if lock.withLock({ triggers.isEmpty }), let refusal = open() {
      changes.unlock()
      return refusal
    }
    lock.lock()
    clients.append(client)
    let level = machine.level
    lock.unlock()
    changes.unlock()
    if level != .normal { client.pressureIs(level) }
    return nil
  }

  /// Removes a client. A report that is on its way may still reach it. Any thread.
  package func remove(_ client: any PressureClient) {
    // In a forked child, a thread that no longer exists may hold the locks.
    if fork != Fork.count { return }
    changes.lock()
    defer { changes.unlock() }
    lock.lock()
    clients.removeAll { $0 === client }
    let left = clients.isEmpty ? triggers : []
    if clients.isEmpty {
      triggers = []
      machine = PressureStateMachine()
    }
    lock.unlock()
    for trigger in left { close(trigger) }
  }

  // MARK: Files

  /// Opens the files that exist. The caller holds `changes`.
  private func open() -> PressureRefusal? {
    var refused: [(path: String, error: Int32)] = []
    var opened: [PressureTrigger] = []
    let group = PressureTrigger.groupDirectory(kernel.root)
    for path in [group.map { $0 + "/memory.pressure" }, "/proc/pressure/memory"] {
      if let path { opened += openTriggers(path, &refused) }
    }
    if opened.isEmpty, let group { opened += openCounters(group + "/memory.events", &refused) }
    if opened.isEmpty {
      // If one file is missing, the error of another may explain more.
      let error = refused.first { $0.error != ENOENT }?.error ?? ENOENT
      return PressureRefusal(error: error, files: refused.map(MemoryPressure.words))
    }
    start(opened)
    return nil
  }

  /// Opens one descriptor for each level, or none.
  private func openTriggers(
    _ path: String, _ refused: inout [(path: String, error: Int32)]
  ) -> [PressureTrigger] {
    var opened: [PressureTrigger] = []
    let triggers = [
      (PressureLevel.warning, PressureTrigger.warning), (.critical, PressureTrigger.critical),
    ]
    for (level, trigger) in triggers {
      let descriptor = kernel.open(kernel.root + path, trigger: trigger)
      guard descriptor >= 0 else {
        refused.append((path, -descriptor))
        for trigger in opened { close(trigger) }
        return []
      }
      let error = watch(.trigger(level), descriptor, &opened)
      guard error == 0 else {
        refused.append((path, error))
        for trigger in opened { close(trigger) }
        return []
      }
    }
    return opened
  }

  private func openCounters(
    _ path: String, _ refused: inout [(path: String, error: Int32)]
  ) -> [PressureTrigger] {
    var opened: [PressureTrigger] = []
    let descriptor = kernel.open(kernel.root + path)
    let error = descriptor < 0 ? -descriptor : watch(.counters, descriptor, &opened)
    if error != 0 { refused.append((path, error)) }
    return opened
  }

  /// Watches the descriptor, and owns it from now on.
  private func watch(
    _ kind: PressureTrigger.Kind, _ descriptor: Int32, _ opened: inout [PressureTrigger]
  ) -> Int32 {
    let watch = DescriptorWatch(descriptor, for: .priority, client: self)
    let trigger = PressureTrigger(kind, watch)
    if case .counters = kind { _ = trigger.read(kernel.read(descriptor) ?? "", isFirst: true) }
    let error = kernel.watch(watch)
    if error == 0 { opened.append(trigger) } else { kernel.close(descriptor) }
    return error
  }

  /// Signals are delivered from here on. An earlier signal reached no client, but it disarmed its
  /// watch. So this arms all watches again.
  private func start(_ opened: [PressureTrigger]) {
    lock.withLock { triggers = opened }
    for trigger in opened { kernel.arm(trigger.watch) }
  }

  private func close(_ trigger: PressureTrigger) {
    kernel.unwatch(trigger.watch)
    kernel.close(trigger.watch.descriptor)
  }

  // MARK: Signals

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    lock.lock()
    guard let trigger = triggers.first(where: { $0.watch === watch }) else { return lock.unlock() }
    var isOver = false
    var signal = PressureLevel.normal
    switch trigger.kind {
    case .trigger(let level):
      signal = level
      // An error means that the group is gone, and its trigger with it. The descriptor would
      // report the error forever.
      isOver = events.contains(.error)
    case .counters: signal = look(trigger)
    }
    let change = signal > .normal && !isOver ? machine.signalled(signal, at: kernel.now) : nil
    let told = change == nil ? [] : clients
    let timer = timerToSet()
    let arms: Bool
    switch trigger.kind {
    case .trigger: arms = !isOver
    case .counters: arms = machine.level == .normal
    }
    lock.unlock()
    if arms { kernel.arm(watch) }
    act(change, told, timer)
  }

  /// Checks whether pressure has ended. The timer calls this.
  package func timeIsUp() {
    lock.lock()
    isTimerSet = false
    let old = machine.level
    let now = kernel.now
    var counters: [PressureTrigger] = []
    for trigger in triggers {
      guard case .counters = trigger.kind else { continue }
      counters.append(trigger)
      let signal = look(trigger)
      if signal > .normal { _ = machine.signalled(signal, at: now) }
    }
    _ = machine.timePassed(to: now)
    let change = machine.level == old ? nil : machine.level
    let told = change == nil ? [] : clients
    let timer = timerToSet()
    let arms = old != .normal && machine.level == .normal ? counters : []
    lock.unlock()
    for trigger in arms { kernel.arm(trigger.watch) }
    act(change, told, timer)
  }

  package func isGone(_ watch: DescriptorWatch) {
    // The descriptor's number may refer to a file of the program by now.
    lock.withLock { triggers.removeAll { $0.watch === watch } }
    warn(
      "the program closed a descriptor that belongs to Signalbox: memory-pressure sources may "
        + "report no more events.")
  }

  /// The level according to the counters. Reading them also tells the kernel that they
  /// were seen. The caller holds the lock.
  private func look(_ trigger: PressureTrigger) -> PressureLevel {
    kernel.read(trigger.watch.descriptor).map { trigger.read($0) } ?? .normal
  }

  /// The caller holds the lock.
  ///
  /// - Returns: the time for which the caller must set the timer, outside the lock; nil
  ///   if it need not.
  private func timerToSet() -> UInt64? {
    guard !isTimerSet, let deadline = machine.deadline else { return nil }
    isTimerSet = true
    // From now on only the timer reads the counters.
    let reads = triggers.contains { if case .counters = $0.kind { true } else { false } }
    return reads ? min(deadline, kernel.now + PressureTrigger.window * 1_000) : deadline
  }

  private func act(_ change: PressureLevel?, _ told: [any PressureClient], _ timer: UInt64?) {
    if let timer { kernel.setTimer(timer, for: self) }
    if let change { for client in told { client.pressureIs(change) } }
  }

  // MARK: Words

  private static func words(_ refused: (path: String, error: Int32)) -> String {
    let (path, error) = refused
    return switch error {
    case ENOENT: "\(path) does not exist (errno \(error))"
    case EACCES, EPERM: "\(path) is not open to this process (errno \(error))"
    case EROFS: "\(path) cannot be written to (errno \(error))"
    case EOPNOTSUPP: "\(path): the kernel does not measure pressure (errno \(error))"
    case EINVAL: "\(path): the kernel accepts no such trigger (errno \(error))"
    case EMFILE, ENFILE: "\(path): too many files are open (errno \(error))"
    default: "\(path) cannot be used (errno \(error))"
    }
  }

  // MARK: Fork

  /// Visits the descriptors in the same way as `abandon`. Swift's runtime creates some things on
  /// first use, such as the type of an array. If another thread were creating one during the fork,
  /// the child would wait for it forever.
  func lockForFork() {
    lock.lock()
    forEachDescriptor { _ in }
  }

  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: closes the parent's descriptors.
  func abandon() { forEachDescriptor { kernel.close($0) } }

  private func forEachDescriptor(_ body: (Int32) -> Void) {
    for trigger in triggers { body(trigger.watch.descriptor) }
  }
}
