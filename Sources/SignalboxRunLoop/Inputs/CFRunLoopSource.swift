// CFRunLoopSource — an input source of version 0: whoever has something for the loop signals
// it and wakes the loop.
//
// Touching    `callBacks`, `context`: never change. `signalled`: any thread, atomically.
//             `untold`, `isTelling`: under the item's lock.
// Ordering    RS1  a signal's releasing exchange → the acquiring one of the loop that
//                  performs: it sees what was done before the signal.
// Invariants  I1  the program is told of places in the order in which they were come to and
//                 left, one call at a time: never of a leaving before the coming.

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
/// It may be in several modes of several loops; a signal is performed once, by the first of
/// them that comes to it. Its functions may be called from any thread.
///
/// Source: Apple's documentation of `CFRunLoopSource`.
public class CFRunLoopSource: RunLoopItem, @unchecked Sendable {  // SAFETY: see Touching.
  let context: ItemContext
  let callBacks: SourceCallBacks
  private let signalled = Atomic<Bool>(false)
  private var untold: [(change: Change, place: Place)] = []
  private var isTelling = false

  private enum Change { case schedule, cancel }

  init(order: CFIndex, context: ItemContext, callBacks: SourceCallBacks) {
    self.context = context
    self.callBacks = callBacks
    super.init(order: order)
  }

  /// Of the context that it was made with.
  var version: CFIndex { 0 }

  override func enter(_ mode: LoopMode) { mode.sources.insertInOrder(self) }

  override func leave(_ mode: LoopMode) -> Bool { mode.sources.removeItem(self) }

  // MARK: Telling of places

  override func note(entered: [Place], left: [Place]) {
    if callBacks.schedule != nil { untold += entered.map { (.schedule, $0) } }
    if callBacks.cancel != nil { untold += left.map { (.cancel, $0) } }
  }

  /// Whoever finds nobody at it tells all that there is, also what others note meanwhile.
  override func tell() {
    lock.lock()
    if isTelling || untold.isEmpty { return lock.unlock() }
    isTelling = true
    while !untold.isEmpty {
      let (change, place) = untold.removeFirst()
      lock.unlock()
      let call = change == .schedule ? callBacks.schedule : callBacks.cancel
      call?(context.info, place.loop, place.mode.name)
      lock.lock()
    }
    isTelling = false
    lock.unlock()
  }

  // MARK: Signals

  /// Whether it was signalled and not performed since. A hint.
  final var isSignalled: Bool {
    signalled.load(ordering: .relaxed)  // order: relaxed; the exchange decides.
  }

  /// Any thread.
  final func signal() {
    // order: releasing, RS1
    if isValid { _ = signalled.exchange(true, ordering: .releasing) }
  }

  /// On a loop's thread: performs it, if it is still there, valid and signalled.
  ///
  /// - Returns: whether it did.
  final func performIfSignalled(in mode: LoopMode) -> Bool {
    lock.lock()
    let isMeant =
      isValid && places.contains { $0.mode === mode }
      && signalled.exchange(false, ordering: .acquiring)  // order: acquiring, RS1
    lock.unlock()
    guard isMeant else { return false }
    mode.loop.tell(.source, mode)
    callBacks.perform?(context.info)
    return true
  }

  // MARK: As a value

  /// Sources are equal if they were made of the same, as their contexts see it.
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
  /// Step 4: performs what other threads perform here, and the sources of the mode that are
  /// signalled, in their order.
  ///
  /// - Parameter onlyOne: whether to leave all but the first for later.
  /// - Returns: whether there was one.
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
