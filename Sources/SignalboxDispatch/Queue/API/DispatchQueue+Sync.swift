// DispatchQueue+Sync — runs work while its caller waits, usually on the caller's
// thread.
//
// Fast path   If the queue is idle and its list empty, one compare-and-swap takes it, the
//             caller runs the work with a frame on its stack, and one more compare-and-swap gives
//             it back. The list must be checked too: while another producer has not announced its
//             item yet, the caller's own earlier `async` may be in the list although the word says
//             idle.
// Slow path   The caller enters the list (`SyncWaiter`) and is granted the queue when its turn
//             comes.
// Main queue  The work runs on the main thread only: any other thread submits it as an item and
//             waits for its end.

public import CSignalbox
import SignalboxDiagnostics
public import SignalboxRuntime

extension DispatchQueue {
  /// Runs `workItem` and returns when it has ended.
  ///
  /// The work runs on the calling thread, except on the main queue. A `sync` from an item of the
  /// same serial queue traps. On an idle queue, the call costs two atomic operations; on a busy
  /// one, the thread enters the queue's list and usually sleeps. Threads that wait for each other
  /// in a cycle trap with a message that names them all.
  ///
  /// *Differences*: if no thread drains the queue yet, the waiting thread itself runs the items
  /// that must end before its turn, including earlier `async` items, on its own stack. The main
  /// thread never does.
  public final func sync(execute workItem: () -> Void) {
    withTurn(alone: false, workItem)
  }

  /// Runs `work` and returns its result or throws its error.
  ///
  /// The work runs on the calling thread, except on the main queue. A `sync` from an item of the
  /// same serial queue traps.
  @inlinable
  public final func sync<T>(execute work: () throws -> T) rethrows -> T {
    try withTurn(alone: false, work)
  }

  /// Runs `work` and returns its result or throws its error. With `.barrier`, it runs alone on a
  /// concurrent queue.
  @inlinable
  public final func sync<T>(
    flags: DispatchWorkItemFlags, execute work: () throws -> T
  ) rethrows -> T {
    flags.checkKnown()
    return try withTurn(alone: flags.contains(.barrier), work)
  }

  /// Runs a work item, unless it was cancelled, and returns when it has ended.
  public final func sync(execute workItem: DispatchWorkItem) {
    // From here on, a thread that waits for the item waits for this thread.
    ThreadHold.with(workItem.address, .awaitedWork) {
      withTurn(alone: workItem.flags.contains(.barrier)) { workItem.runSubmitted() }
    }
  }

  // MARK: Fast path

  @inlinable @inline(__always)
  final func withTurn<T>(alone: Bool, _ work: () throws -> T) rethrows -> T {
    switch entry {
    case .serial: return try runAlone(work)
    case .concurrent: return try alone ? runAlone(work) : runShared(work)
    case .global: return try runFramed(work)
    case .slow, .retargetable: return try runSlow(alone: alone, work)
    }
  }

  @inlinable @inline(__always)
  final func runAlone<T>(_ work: () throws -> T) rethrows -> T {
    try holdAlone { try runFramed(work) }
  }

  @inlinable @inline(__always)
  final func runShared<T>(_ work: () throws -> T) rethrows -> T {
    try holdShare { try runFramed(work) }
  }

  @inlinable @inline(__always)
  final func runFramed<T>(_ work: () throws -> T) rethrows -> T {
    Probe.syncEntered(address)
    defer { Probe.syncLeft(address) }
    return try QueueFrame.with(self, work)
  }

  @inlinable @inline(__always)
  final func holdAlone<T>(_ body: () throws -> T) rethrows -> T {
    let thread = csb_thread_number()
    if !list.isEmpty() || !state.tryTake(thread) { takeSlow(thread, alone: true) }
    list.counts.countTurn()
    defer { if !state.tryGiveUp(thread) { giveUpSlow(thread) } }
    return try body()
  }

  @inlinable @inline(__always)
  final func holdShare<T>(_ body: () throws -> T) rethrows -> T {
    // A forked child must check the queue before it takes a share.
    if Fork.hasHappened || !list.isEmpty() || !state.tryShare() {
      takeSlow(csb_thread_number(), alone: false)
    }
    defer { if !state.tryUnshare() { unshareSlow() } }
    return try body()
  }

  // MARK: Slow paths

  /// How many times to check a busy queue before the thread enters its list. Spinning pays, because
  /// usually another short `sync` holds the queue.
  private static let spinLimit = 60

  /// Waits until this thread owns the queue or holds a share of it.
  @inline(never) @usableFromInline
  final func takeSlow(_ thread: UInt32, alone: Bool) {
    if Fork.hasHappened { checkFork() }
    for _ in 0..<DispatchQueue.spinLimit {
      let now = state.snapshot
      if !list.isEmpty() || now.isHalted || now.owner == thread { break }
      if alone ? now.bits == 0 && state.tryTake(thread) : state.tryShare() { return }
      csb_spin_hint()
    }
    checkDeadlock(thread, alone: alone)
    let called = Probe.syncWaits()
    let began = QueueTimes.syncWaits()
    SyncWaiter.wait(in: self, thread: thread, alone: alone)
    QueueTimes.syncHasWaited(since: began, for: address)
    Probe.syncWillEnter(called)
  }

  /// Traps if this thread would wait for itself.
  private final func checkDeadlock(_ thread: UInt32, alone: Bool) {
    if !alone { checkNesting() }
    let holdsAlone = state.snapshot.owner == thread
    guard holdsAlone || (alone && QueueFrame.isDirectlyOn(self)) else { return }
    selfDeadlock(
      "sync on the queue \(quotedLabel) from work that runs on it: this thread would wait for "
        + "itself forever. Call the work directly, or submit it with async.", for: .sync,
      on: resource)
  }

  /// Traps if this thread, which is about to wait for a share, holds as many shares as the
  /// queue can count.
  final func checkNesting() {
    let most = QueueState.Snapshot.mostShared
    guard state.snapshot.isFull, QueueFrame.count(reaching: self) >= most else { return }
    clientBug(
      "\(most) calls of sync on the queue \(quotedLabel) are nested on this thread, which is the "
        + "limit: another sync would never return. Call the work directly.")
  }

  @inline(never) @usableFromInline
  final func giveUpSlow(_ thread: UInt32) {
    handOff()
  }

  @inline(never) @usableFromInline
  final func unshareSlow() {
    let thread = csb_thread_number()
    if state.leaveShared(thread) { handOff() }
  }

  /// Runs work on a queue whose entry is `slow` or `retargetable`: takes this queue, then its
  /// target, and so on, and runs the work as work of this queue. If the main queue is among them,
  /// the main thread runs it as an item.
  @inline(never) @usableFromInline
  final func runSlow<T>(alone: Bool, _ work: () throws -> T) rethrows -> T {
    try holdChain(alone: alone) { try runFramed(work) }
  }

  private final func holdChain<T>(alone: Bool, _ body: () throws -> T) rethrows -> T {
    switch shape {
    case .main: return try MainQueueDrain.shared.sync(self, body)
    case .global: return try body()
    case .serial, .workloop: return try holdAlone { try holdTarget(body) }
    case .concurrent:
      return try alone ? holdAlone { try holdTarget(body) } : holdShare { try holdTarget(body) }
    }
  }

  final func holdTarget<T>(_ body: () throws -> T) rethrows -> T {
    guard let target else { return try body() }
    // While the thread waits for the target, it holds this queue but is not on it yet.
    return try ThreadHold.with(address, .queue) { try target.holdChain(alone: false, body) }
  }
}
