// OperationRegistry — all operation queues, through links in them, for reports; and the part of
// this module in a fork.
//
// Touching    the list, and the links of the queues in it: under `lock`, under which that of
//             a queue may be taken.
// Invariants  I1  a queue is in the list from the end of `OperationQueue.init` until the
//                 beginning of its `deinit`; in a forked child, one of the parent's from when
//                 it is first used there.
//             I2  whoever needs one of this module's common locks for the first time comes by
//                 `prepare`: no process forks while they are made.
//             I3  around a fork they are taken in this order: that of `DependencySearch`, that
//                 of this list, that of `OperationsInFlight`. Who holds the first takes those
//                 of operations, under which the last is taken.

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
  private var first: Unmanaged<OperationQueue>?
  private var count = 0

  private init() {}

  // MARK: Once

  /// Makes what is made once, unless it is made. Not within the making of something else, for
  /// it may wait for a fork, in whose child that would be half made for ever.
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
      $0.operations = { OperationRegistry.shared.glances }
      $0.lines.append { OperationRegistry.shared.inFlight.lines }
      $0.lines.append { DependencySearch.shared.circles.lines(.shared) }
    }
  }

  // MARK: Fork

  private static func lockForFork() {
    MadeOnce.make()
    made.search.lock()
    made.lock.lock()
    made.inFlight.lockForFork()
  }

  private static func unlockAfterFork() {
    made.inFlight.unlockAfterFork()
    made.lock.unlock()
    made.search.unlock()
  }

  /// In a child: another thread may have been in the middle of any of them, with its lock.
  private static func forgetAll() {
    made.first = nil
    made.count = 0
    made.inFlight.forgetAll()
    made.search.circles.forgetSchedule()
  }

  // MARK: The list

  func add(_ queue: OperationQueue) {
    let new = Unmanaged.passUnretained(queue)  // SAFETY: see I1.
    lock.lock()
    queue.following = first
    queue.preceding = nil
    queue.listedIn = Fork.count
    first?._withUnsafeGuaranteedRef { $0.preceding = new }
    first = new
    count += 1
    lock.unlock()
  }

  func remove(_ queue: OperationQueue) {
    lock.lock()
    // Its list was that of the parent.
    guard queue.listedIn == Fork.count else { return lock.unlock() }
    let (next, previous) = (queue.following, queue.preceding)
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.following = next }
    } else {
      first = next
    }
    next?._withUnsafeGuaranteedRef { $0.preceding = previous }
    count -= 1
    lock.unlock()
  }

  /// Those in which there are operations.
  private var busy: [OperationQueue] {
    var all: [OperationQueue] = []
    // Room is made outside the lock, for some that come meanwhile too.
    var room = 8
    while true {
      all.reserveCapacity(room)
      lock.lock()
      let wanted = count
      if wanted <= room {
        var next = first
        while let queue = next {
          queue._withUnsafeGuaranteedRef {
            if let kept = $0.ifBusy { all.append(kept) }
            next = $0.following
          }
        }
        lock.unlock()
        return all
      }
      lock.unlock()
      room = wanted + 8
    }
  }

  private var glances: [OperationQueueGlance] {
    busy.map(\.glance).filter { $0.count > 0 }.sorted { $0.name < $1.name }
  }
}

extension OperationQueue {
  /// Under the registry's lock, perhaps within its end: itself, if there are operations in it.
  /// Then it has a reference to itself, which is not taken away without the lock, and so is not
  /// ending.
  fileprivate final var ifBusy: OperationQueue? {
    lock.lock()
    defer { lock.unlock() }
    return keeper?.takeUnretainedValue()  // SAFETY: as said.
  }

  /// How many operations of one queue a report shows.
  private static let shown = 100

  fileprivate final var glance: OperationQueueGlance {
    var operations: [Operation] = []
    operations.reserveCapacity(OperationQueue.shown)
    lock.lock()
    var next = first
    while operations.count < OperationQueue.shown,
      // SAFETY: each is retained while it is in the list.
      let operation = next?.takeUnretainedValue()
    {
      next = operation.next
      operations.append(operation)
    }
    // Of a forked child's parent, nothing goes on here.
    let count = forks == Fork.count ? self.count : 0
    let (running, isSuspended) = (self.running, isHalted)
    lock.unlock()
    let name = shownName
    return OperationQueueGlance(
      name: name, count: count, running: running, isSuspended: isSuspended,
      operations: operations.map { $0.glance(in: name) })
  }
}

extension Operation {
  /// How many of those that one waits for a report names.
  private static let named = 8

  fileprivate final func glance(in queue: String) -> OperationGlance {
    lock.lock()
    let (phase, isCancelled, flies) = (self.phase, isMarkedCancelled, isInFlight)
    let unfinished = phase < .starting && !isCancelled ? Int(self.unfinished) : 0
    let others = unfinished > 0 ? dependencyList : []
    lock.unlock()
    // Each has a lock of its own, which is not taken under this one's.
    let waitsFor = others.lazy.filter { other in
      other.lock.withLock { other.phase != .finished }
    }.prefix(Operation.named).map(\.title)
    let state: OperationGlance.State =
      flies
      ? .inFlight : phase >= .starting ? .running : unfinished > 0 ? .waiting : .ready
    return OperationGlance(
      title: isBarrier ? "a barrier" : title, queue: queue, state: state, isCancelled: isCancelled,
      waitsFor: Array(waitsFor), unfinished: unfinished)
  }
}
