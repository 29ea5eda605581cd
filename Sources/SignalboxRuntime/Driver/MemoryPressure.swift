// MemoryPressure — the watch over memory pressure: who is told, and by which files it is
// known.
//
// The files of the process's own control group and of the system are watched side by
// side: a group may be short of memory on a machine with plenty, and the other way round.
// The counters of the group stand in for both where the kernel accepts no trigger.
//
// The files are opened with the first client and closed with the last. Without pressure
// nobody wakes; under pressure a timer looks whether it has ended.
//
// Touching    whatever opens and closes the files: under `changes`. `clients`, `gauges`,
//             `machine`, `isTimerSet`: under `lock`, which may be taken under `changes`.
// Invariants  I1  `isTimerSet` ⇔ the timer is pending, or `timeIsUp` on its way, or
//                 whoever set the flag is about to set the timer.
//             I2  there is pressure ⇒ `isTimerSet`.
//             I3  counters are armed only while there is no pressure: under pressure
//                 they may change a hundred times a second, and the timer reads them.

import CSignalbox

/// Whom the watch over memory pressure tells.
package protocol PressureClient: AnyObject, Sendable {
  /// The level has changed, or the client came while there was pressure. The poller, or
  /// whoever adds the client, calls it, outside all locks; it must not wait.
  func pressureIs(_ level: PressureLevel)
}

/// Why nothing is known of memory pressure.
package struct PressureRefusal: Equatable, Sendable {
  package let error: Int32
  /// Each file with what was wrong with it.
  package let files: [String]

  package var text: String { files.joined(separator: "; ") }
}

package final class MemoryPressure: DescriptorClient, @unchecked Sendable {
  // SAFETY: see Touching.
  private let kernel: any PressureKernel
  /// In a forked child that of the parent is used no more.
  private let fork = Fork.count
  private let changes = EngineLock()

  private let lock = EngineLock()
  private var clients: [any PressureClient] = []
  private var gauges: [PressureGauge] = []
  private var machine = PressureStateMachine()
  private var isTimerSet = false

  package init(_ kernel: any PressureKernel) { self.kernel = kernel }

  // MARK: Clients

  /// Tells `client` of each change of the level from now on, and at once if there is
  /// pressure now. Any thread.
  package func add(_ client: any PressureClient) -> PressureRefusal? {
    changes.lock()
    if lock.withLock({ gauges.isEmpty }), let refusal = open() {
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

  /// Tells it no more, but for what is on its way. Any thread.
  package func remove(_ client: any PressureClient) {
    // In a forked child the locks may be held by nobody who could leave them.
    if fork != Fork.count { return }
    changes.lock()
    defer { changes.unlock() }
    lock.lock()
    clients.removeAll { $0 === client }
    let left = clients.isEmpty ? gauges : []
    if clients.isEmpty {
      gauges = []
      machine = PressureStateMachine()
    }
    lock.unlock()
    for gauge in left { close(gauge) }
  }

  // MARK: Files

  /// Under `changes`: opens whatever there is.
  private func open() -> PressureRefusal? {
    var refused: [(path: String, error: Int32)] = []
    var opened: [PressureGauge] = []
    let group = PressureGauge.groupDirectory(kernel.root)
    for path in [group.map { $0 + "/memory.pressure" }, "/proc/pressure/memory"] {
      if let path { opened += openTriggers(path, &refused) }
    }
    if opened.isEmpty, let group { opened += openCounters(group + "/memory.events", &refused) }
    if opened.isEmpty {
      // Where a file is missing, another one may have the better reason.
      let error = refused.first { $0.error != ENOENT }?.error ?? ENOENT
      return PressureRefusal(error: error, files: refused.map(MemoryPressure.words))
    }
    start(opened)
    return nil
  }

  /// One descriptor for each level, or none.
  private func openTriggers(
    _ path: String, _ refused: inout [(path: String, error: Int32)]
  ) -> [PressureGauge] {
    var opened: [PressureGauge] = []
    let triggers = [
      (PressureLevel.warning, PressureGauge.warning), (.critical, PressureGauge.critical),
    ]
    for (level, trigger) in triggers {
      let descriptor = kernel.open(kernel.root + path, trigger: trigger)
      guard descriptor >= 0 else {
        refused.append((path, -descriptor))
        for gauge in opened { close(gauge) }
        return []
      }
      let error = watch(.trigger(level), descriptor, &opened)
      guard error == 0 else {
        refused.append((path, error))
        for gauge in opened { close(gauge) }
        return []
      }
    }
    return opened
  }

  private func openCounters(
    _ path: String, _ refused: inout [(path: String, error: Int32)]
  ) -> [PressureGauge] {
    var opened: [PressureGauge] = []
    let descriptor = kernel.open(kernel.root + path)
    let error = descriptor < 0 ? -descriptor : watch(.counters, descriptor, &opened)
    if error != 0 { refused.append((path, error)) }
    return opened
  }

  /// Takes over the descriptor.
  private func watch(
    _ kind: PressureGauge.Kind, _ descriptor: Int32, _ opened: inout [PressureGauge]
  ) -> Int32 {
    let watch = DescriptorWatch(descriptor, for: .priority, client: self)
    let gauge = PressureGauge(kind, watch)
    if case .counters = kind { _ = gauge.read(kernel.read(descriptor) ?? "", isFirst: true) }
    let error = kernel.watch(watch)
    if error == 0 { opened.append(gauge) } else { kernel.close(descriptor) }
    return error
  }

  /// From here on signals count. One that came before was not told to anybody, but its
  /// watch is disarmed: all are armed once more.
  private func start(_ opened: [PressureGauge]) {
    lock.withLock { gauges = opened }
    for gauge in opened { kernel.arm(gauge.watch) }
  }

  private func close(_ gauge: PressureGauge) {
    kernel.unwatch(gauge.watch)
    kernel.close(gauge.watch.descriptor)
  }

  // MARK: Signals

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    lock.lock()
    guard let gauge = gauges.first(where: { $0.watch === watch }) else { return lock.unlock() }
    var isOver = false
    var signal = PressureLevel.normal
    switch gauge.kind {
    case .trigger(let level):
      signal = level
      // The group is gone, and with it the trigger; it would be in error for ever.
      isOver = events.contains(.error)
    case .counters: signal = look(gauge)
    }
    let change = signal > .normal && !isOver ? machine.signalled(signal, at: kernel.now) : nil
    let told = change == nil ? [] : clients
    let timer = timerToSet()
    let arms: Bool
    switch gauge.kind {
    case .trigger: arms = !isOver
    case .counters: arms = machine.level == .normal
    }
    lock.unlock()
    if arms { kernel.arm(watch) }
    act(change, told, timer)
  }

  /// Whether pressure has ended.
  package func timeIsUp() {
    lock.lock()
    isTimerSet = false
    let old = machine.level
    let now = kernel.now
    var counters: [PressureGauge] = []
    for gauge in gauges {
      guard case .counters = gauge.kind else { continue }
      counters.append(gauge)
      let signal = look(gauge)
      if signal > .normal { _ = machine.signalled(signal, at: now) }
    }
    _ = machine.timePassed(to: now)
    let change = machine.level == old ? nil : machine.level
    let told = change == nil ? [] : clients
    let timer = timerToSet()
    let arms = old != .normal && machine.level == .normal ? counters : []
    lock.unlock()
    for gauge in arms { kernel.arm(gauge.watch) }
    act(change, told, timer)
  }

  package func isGone(_ watch: DescriptorWatch) {
    // Its number may stand for a file of the program's by now.
    lock.withLock { gauges.removeAll { $0.watch === watch } }
    complain(
      "a descriptor that the program does not own was closed: memory-pressure sources may "
        + "hear nothing more")
  }

  /// Under the lock: what the counters say. To read them also tells the kernel that they
  /// were seen.
  private func look(_ gauge: PressureGauge) -> PressureLevel {
    kernel.read(gauge.watch.descriptor).map { gauge.read($0) } ?? .normal
  }

  /// Under the lock.
  ///
  /// - Returns: when the caller must have the timer come, outside the lock.
  private func timerToSet() -> UInt64? {
    guard !isTimerSet, let deadline = machine.deadline else { return nil }
    isTimerSet = true
    // Nobody but the timer looks at counters now.
    let reads = gauges.contains { if case .counters = $0.kind { true } else { false } }
    return reads ? min(deadline, kernel.now + PressureGauge.window * 1_000) : deadline
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

  /// Goes through the descriptors as `abandon` will: what the Swift runtime makes at the
  /// first time, such as the type of an array, it could wait for in the child for ever,
  /// if another thread is in the middle of making something.
  func lockForFork() {
    lock.lock()
    forEachDescriptor { _ in }
  }

  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: gives back the parent's descriptors.
  func abandon() { forEachDescriptor { kernel.close($0) } }

  private func forEachDescriptor(_ body: (Int32) -> Void) {
    for gauge in gauges { body(gauge.watch.descriptor) }
  }
}
