// CFRunLoopSource — an input source of version 0: a thread that has something for the loop
// signals the source and wakes the loop.
//
// Touching    `callBacks`, `context`: never change. `signalled`: any thread, atomically.
//             `untold`, `isTelling`: under the item's lock.
// Ordering    RS1  a signal's releasing exchange → the performing loop's acquiring exchange:
//                  the loop sees everything done before the signal.
// Invariants  I1  `schedule` and `cancel` run one at a time, in the order in which the source
//                 entered and left its modes; never a `cancel` before its `schedule`.

import Synchronization

/// An input source of run loops.
///
/// ```swift
/// var context = CFRunLoopSourceContext()
/// context.perform = { _ in redraw() }
/// let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
/// CFRunLoopAddSource(loop, source, .defaultMode)
/// CFRunLoopSourceSignal(source)   // from any thread
/// CFRunLoopWakeUp(loop)
/// ```
///
/// A source may be in several modes of several loops. The first loop that reaches a signalled
/// source performs it, once. Call the functions of a source from any thread.
///
/// Source: Apple's documentation of `CFRunLoopSource`.
public class CFRunLoopSource: RunLoopItem, @unchecked Sendable {  // SAFETY: see Touching.
  let context: ItemContext
  let callBacks: SourceCallBacks
  private let signalled = Atomic<Bool>(false)
  private var untold: [(change: Change, membership: Membership)] = []
  private var isTelling = false

  private enum Change { case schedule, cancel }

  init(order: CFIndex, context: ItemContext, callBacks: SourceCallBacks) {
    self.context = context
    self.callBacks = callBacks
    super.init(order: order)
  }

  var version: CFIndex { 0 }

  override func enter(_ mode: LoopMode) { mode.sources.insertInOrder(self) }

  override func leave(_ mode: LoopMode) -> Bool { mode.sources.removeItem(self) }

  // MARK: Telling of memberships

  override func note(entered: [Membership], left: [Membership]) {
    if callBacks.schedule != nil { untold += entered.map { (.schedule, $0) } }
    if callBacks.cancel != nil { untold += left.map { (.cancel, $0) } }
  }

  /// Calls `schedule` and `cancel` for all pending changes. If another thread is already doing
  /// that, it makes this thread's calls too.
  override func tell() {
    lock.lock()
    if isTelling || untold.isEmpty { return lock.unlock() }
    isTelling = true
    while !untold.isEmpty {
      let (change, membership) = untold.removeFirst()
      lock.unlock()
      let call = change == .schedule ? callBacks.schedule : callBacks.cancel
      call?(context.info, membership.loop, membership.mode.name)
      lock.lock()
    }
    isTelling = false
    lock.unlock()
  }

  // MARK: Signals

  /// Whether the source was signalled and not performed since. A hint.
  final var isSignalled: Bool {
    signalled.load(ordering: .relaxed)  // order: relaxed; may be out of date, the exchange decides.
  }

  /// Call from any thread.
  final func signal() {
    // order: releasing, RS1
    if isValid { _ = signalled.exchange(true, ordering: .releasing) }
  }

  /// Performs the source if it is still in the mode, valid and signalled. Call on the loop's
  /// thread.
  ///
  /// - Returns: whether it was performed.
  final func performIfSignalled(in mode: LoopMode) -> Bool {
    lock.lock()
    let isMeant =
      isValid && memberships.contains { $0.mode === mode }
      && signalled.exchange(false, ordering: .acquiring)  // order: acquiring, RS1
    lock.unlock()
    guard isMeant else { return false }
    mode.loop.tell(.source, mode)
    callBacks.perform?(context.info)
    return true
  }

  // MARK: As a value

  /// Two sources are equal if their `equal` callback returns true and their orders
  /// match.
  override func isSame(as other: RunLoopItem) -> Bool {
    if self === other { return true }
    guard let equal = callBacks.equal, let other = other as? CFRunLoopSource,
      order == other.order, other.callBacks.equal != nil
    else { return false }
    return equal(context.info, other.context.info)
  }

  override func hashIdentity(into hasher: inout Hasher) {
    if let hash = callBacks.hash {
      hasher.combine(hash(context.info))
    } else {
      super.hashIdentity(into: &hasher)
    }
  }

  override var words: String {
    "<CFRunLoopSource: order \(order), \(isValid ? "valid" : "invalid"), context \(context.words)>"
  }
}

extension CFRunLoop {
  /// Step 4: performs the calls of other threads, then the signalled sources of the mode in order.
  ///
  /// - Parameter onlyOne: whether to stop after the first source.
  /// - Returns: whether there was anything to perform.
  func performSources(_ mode: LoopMode, onlyOne: Bool) -> Bool {
    lock.lock()
    let sources = mode.sources
    let taken = comingCalls
    if !taken.isEmpty { comingCalls = [] }
    lock.unlock()
    var hasHandled = performCalls(mode, taken)
    if hasHandled && onlyOne { return true }
    for source in sources where source.isSignalled {
      guard source.performIfSignalled(in: mode) else { continue }
      if onlyOne { return true }
      hasHandled = true
    }
    return hasHandled
  }
}
