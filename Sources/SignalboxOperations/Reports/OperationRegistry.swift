// OperationRegistry — lists all operation queues for reports, and handles forks for this module.
//
// Touching    the list, and the links of the queues in it: under `lock`, under which a queue's
//             lock may be taken.
// Invariants  I1  a queue is in the list from the end of `OperationQueue.init` until the
//                 beginning of its `deinit`; in a forked child, a queue of the parent is in
//                 the list from its first use there.
//             I2  the first use of one of this module's shared locks goes through `prepare`, so
//                 no process forks while they are being created.
//             I3  a fork takes the locks in this order: `DependencySearch`, this list,
//                 `OperationsInFlight`. A holder of the first takes operations' locks, under
//                 which the last is taken.

import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime

final class OperationRegistry: @unchecked Sendable {  // SAFETY: see Touching.
  static var shared: OperationRegistry {
    prepare()
    return made
  }

  static let made = OperationRegistry()

  let search = DependencySearch()
  let inFlight = OperationsInFlight()

  private let lock = EngineLock()
  private var list = IntrusiveList<AllOperationQueues>()

  private init() {}

  // MARK: Once

  /// Initializes the module's globals on first use. Do not call it while another global is
  /// being initialized: it may wait for a fork, and in the child that global would stay half
  /// initialized forever.
  @inline(__always)
  static func prepare() {
    if !Fork.hasJoined(.operations) { prepareSlow() }
  }

  @inline(never)
  private static func prepareSlow() {
    Fork.join(
      .operations, prepare: { OperationRegistry.lockForFork() },
      release: { OperationRegistry.unlockAfterFork() }, child: { OperationRegistry.forgetAll() }
    ) { _ = OperationRegistry.made }
    ReportSources.shared.add {
      if $0.operations != nil { return }
      $0.operations = { OperationRegistry.shared.reports }
      $0.lines.append { OperationRegistry.shared.inFlight.lines }
      $0.lines.append { DependencySearch.shared.circles.lines(.shared) }
    }
  }

  // MARK: Fork

  private static func lockForFork() {
    LazyStatics.force()
    made.search.lock()
    made.lock.lock()
    made.inFlight.lockForFork()
  }

  private static func unlockAfterFork() {
    made.inFlight.unlockAfterFork()
    made.lock.unlock()
    made.search.unlock()
  }

  /// Runs in the child. It locks no operation: a thread of the parent may have held that lock.
  private static func forgetAll() {
    made.list.removeAll()
    made.inFlight.forgetAll()
    made.search.circles.forgetSchedule()
  }

  // MARK: The list

  func add(_ queue: OperationQueue) {
    let new = Unmanaged.passUnretained(queue)  // SAFETY: see I1.
    lock.lock()
    list.prepend(new)
    lock.unlock()
  }

  func remove(_ queue: OperationQueue) {
    let old = Unmanaged.passUnretained(queue)  // SAFETY: see I1.
    lock.lock()
    list.remove(old)
    lock.unlock()
  }

  /// The queues that have operations.
  private var busy: [OperationQueue] {
    lock.snapshot(of: list) { $0._withUnsafeGuaranteedRef { $0.ifBusy } }
  }

  private var reports: [SignalboxReport.OperationQueue] {
    busy.map(\.report).filter { $0.count > 0 }.sorted { $0.name < $1.name }
  }
}

private enum AllOperationQueues: ListLinkage {
  static func links(
    of queue: Unmanaged<OperationQueue>
  ) -> ListLinks<Unmanaged<OperationQueue>>.Pointer {
    queue._withUnsafeGuaranteedRef { withUnsafeMutablePointer(to: &$0.links) { $0 } }
  }
}

extension OperationQueue {
  /// The queue itself, if it has operations. It then has a reference to itself that is only
  /// removed under the lock, and so is not being freed. Called under the registry's lock,
  /// possibly during the queue's deinitialization.
  fileprivate final var ifBusy: OperationQueue? {
    lock.lock()
    defer { lock.unlock() }
    return keeper?.takeUnretainedValue()  // SAFETY: the reference is only removed under the lock.
  }

  /// The maximum number of operations of one queue in a report.
  private static let shown = 100

  fileprivate final var report: SignalboxReport.OperationQueue {
    var operations: [Operation] = []
    operations.reserveCapacity(OperationQueue.shown)
    lock.lock()
    for operation in all.prefix(OperationQueue.shown) {
      // SAFETY: each is retained while it is in the list.
      operations.append(operation.takeUnretainedValue())
    }
    // In a forked child, the parent's operations do not run.
    let count = forkCount == Fork.count ? self.count : 0
    let (running, isSuspended) = (self.running, isHalted)
    lock.unlock()
    return SignalboxReport.OperationQueue(
      name: shownName, count: count, running: running, isSuspended: isSuspended,
      operations: operations.map(\.report))
  }
}

extension Operation {
  /// The maximum number of dependencies that a report names.
  private static let named = 8

  fileprivate final var report: SignalboxReport.Operation {
    lock.lock()
    let (phase, isCancelled, flies) = (self.phase, isMarkedCancelled, isInFlight)
    let unfinished = phase < .starting && !isCancelled ? Int(self.unfinished) : 0
    let others = unfinished > 0 ? dependencyList : []
    lock.unlock()
    // Only now: no thread waits for a dependency's lock while it holds the dependent's.
    let waitsFor = others.lazy.filter { other in
      other.lock.withLock { other.phase != .finished }
    }.prefix(Operation.named).map(\.title)
    let state: SignalboxReport.Operation.State =
      flies
      ? .inFlight : phase >= .starting ? .running : unfinished > 0 ? .waiting : .ready
    return SignalboxReport.Operation(
      title: isBarrier ? "a barrier" : title, state: state, isCancelled: isCancelled,
      unfinished: unfinished, waitsFor: Array(waitsFor))
  }
}
