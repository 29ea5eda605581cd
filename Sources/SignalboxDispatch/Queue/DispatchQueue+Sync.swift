// DispatchQueue+Sync — work that its caller waits for, and mostly runs itself.
//
// Fast path   the queue is idle and its list empty: one compare-and-swap takes
//             it, the caller runs the work with a frame on its stack, one more
//             gives it back. The list must be looked at too: behind a producer
//             that has not announced its item yet, one's own earlier `async` may
//             stand in it while the word still says idle.
// Slow path   the caller stands in the list (`SyncWaiter`) and is handed the
//             queue when its turn has come.
// Main queue  its work runs on the main thread only: from any other thread the
//             work is submitted as an item, and the caller waits for its end.

public import CSignalbox
public import SignalboxRuntime

extension DispatchQueue {
  /// Runs `workItem` and returns when it has ended.
  ///
  /// It runs on the calling thread, except on the main queue. `sync` onto the
  /// serial queue one is running on traps. Where the queue is idle it costs two
  /// atomic operations, else a place in the list and mostly a sleep. Threads that
  /// wait for each other in a cycle trap, with all their names.
  ///
  /// *Differences*: if nobody serves the queue yet, a thread that waits runs
  /// what must end before its turn itself, earlier `async` items among it, on
  /// its own stack. The main thread never does.
  public final func sync(execute workItem: () -> Void) {
    withTurn(alone: false, workItem)
  }

  /// Runs `work` and returns its result or throws its error.
  ///
  /// It runs on the calling thread, except on the main queue. `sync` onto the
  /// serial queue one is running on traps.
  @inlinable
  public final func sync<T>(execute work: () throws -> T) rethrows -> T {
    try withTurn(alone: false, work)
  }

  /// Runs `work`, with `.barrier` alone on a concurrent queue, and returns its
  /// result or throws its error.
  @inlinable
  public final func sync<T>(
    flags: DispatchWorkItemFlags, execute work: () throws -> T
  ) rethrows -> T {
    flags.checkKnown()
    return try withTurn(alone: flags.contains(.barrier), work)
  }

  /// Runs a work item, unless it was cancelled, and returns when it has ended.
  public final func sync(execute workItem: DispatchWorkItem) {
    // Who waits for the item waits for this thread, from now on.
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
    case .slow: return try runSlow(alone: alone, work)
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
    defer { if !state.tryGiveUp(thread) { giveUpSlow(thread) } }
    return try body()
  }

  @inlinable @inline(__always)
  final func holdShare<T>(_ body: () throws -> T) rethrows -> T {
    // In a forked child a share must not be taken before the queue was checked.
    if Fork.hasHappened || !list.isEmpty() || !state.tryShare() {
      takeSlow(csb_thread_number(), alone: false)
    }
    defer { if !state.tryUnshare() { unshareSlow() } }
    return try body()
  }

  // MARK: Slow paths

  /// Looks at a busy queue before a thread stands in its list: what holds it
  /// is mostly another short `sync`.
  private static let spinLimit = 60

  /// Waits until this thread holds the queue alone, or a share of it.
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
    SyncWaiter.wait(in: self, thread: thread, alone: alone)
    Probe.syncWillEnter(called)
  }

  /// Traps if this thread would wait for itself.
  private final func checkDeadlock(_ thread: UInt32, alone: Bool) {
    let holdsAlone = state.snapshot.owner == thread
    guard holdsAlone || (alone && QueueFrame.isDirectlyOn(self)) else { return }
    clientBug(
      "sync on the queue \(quotedLabel) from work that runs on it: this thread would wait for "
        + "itself for ever. Call the work directly, or submit it with async.")
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

  /// A queue with a target, or the main queue: takes its own turn, then the
  /// target's, and so on; the work runs as the first queue's.
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
    // While it waits for the target it is not on this queue yet, but holds it.
    return try ThreadHold.with(address, .queue) { try target.holdChain(alone: false, body) }
  }
}
