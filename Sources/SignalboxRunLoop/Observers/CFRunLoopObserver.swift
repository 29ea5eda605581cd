// CFRunLoopObserver — a callback at certain points of a loop's passes.
//
// Touching    `activities`, `repeats`: never change. Everything else: under the item's lock.

/// An observer of a loop's activities.
///
/// ```swift
/// let observer = CFRunLoopObserverCreateWithHandler(
///   kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, true, 0
/// ) { _, _ in redrawWhatHasChanged() }
/// CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
/// ```
///
/// An observer is in one loop at a time, in any of its modes. Call its functions from any
/// thread. It does not keep a loop running.
///
/// Source: Apple's documentation of `CFRunLoopObserver`.
public final class CFRunLoopObserver: RunLoopItem, @unchecked Sendable {  // SAFETY: see Touching.
  typealias CallOut = (CFRunLoopObserver, CFRunLoopActivity, UnsafeMutableRawPointer?) -> Void

  let activities: CFRunLoopActivity
  let repeats: Bool
  private var callOut: CallOut?
  private var context: ItemContext?
  private var isBeingCalled = false

  init(
    _ activities: CFRunLoopActivity, repeats: Bool, order: CFIndex, context: ItemContext?,
    callOut: @escaping CallOut
  ) {
    self.activities = activities
    self.repeats = repeats
    self.context = context
    self.callOut = callOut
    super.init(order: order)
  }

  override func mayEnter(_ loop: CFRunLoop) -> Bool { memberships.allSatisfy { $0.loop === loop } }

  override func enter(_ mode: LoopMode) {
    mode.observers.insertInOrder(self)
    mode.noteObservers()
  }

  override func leave(_ mode: LoopMode) -> Bool {
    let was = mode.observers.removeItem(self)
    mode.noteObservers()
    return was
  }

  /// Frees what no running callback uses.
  override func wasInvalidated() {
    lock.lock()
    let old = (callOut, context)
    callOut = nil
    context = nil
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  override var words: String {
    "<CFRunLoopObserver: order \(order), " + (isValid ? "valid" : "invalid")
      + (currentContext.map { ", context \($0.words)" } ?? "") + ">"
  }

  /// The context that the observer was created with, or nil if there was none or the observer
  /// is invalid.
  var currentContext: ItemContext? { lock.withLock { context } }

  /// Calls the observer, unless a call is already running further out on the stack. Call on the
  /// loop's thread.
  func call(_ activity: CFRunLoopActivity, in mode: LoopMode) {
    lock.lock()
    let (callOut, context) = (self.callOut, self.context)
    let isMeant = isValid && !isBeingCalled && memberships.contains { $0.mode === mode }
    if isMeant { isBeingCalled = true }
    lock.unlock()
    guard isMeant else { return }
    callOut?(self, activity, context?.info)
    if !repeats { invalidate() }
    withExtendedLifetime(context) {}
    lock.withLock { isBeingCalled = false }
  }
}

extension CFRunLoop {
  /// Calls the observers that are in the mode's list now and are still there at their turn.
  @inline(never)
  func callObservers(_ activity: CFRunLoopActivity, _ mode: LoopMode) {
    let observers = lock.withLock { mode.observers }
    for observer in observers where observer.activities.contains(activity) {
      observer.call(activity, in: mode)
    }
  }
}
