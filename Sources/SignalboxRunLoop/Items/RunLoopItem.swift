// RunLoopItem — what sources, timers and observers share: an order, validity, and memberships.
// A membership is one mode of one loop that contains the item.
//
// Lock order: an item's lock, then a loop's. Neither is held while the program's code runs.
//
// Touching    `order`: never changes. `memberships`: under `lock`.
// Invariants  I1  an invalid item has no memberships and gets none.
//             I2  whenever `lock` is free, the item's memberships and the lists of the modes agree.

import SignalboxRuntime

/// A source, a timer or an observer of run loops.
///
/// *Beyond Apple's API.* Apple has three unrelated types; this class holds what they share.
public class RunLoopItem: @unchecked Sendable {  // SAFETY: see Touching.
  let order: CFIndex
  let lock = ItemLock()
  private(set) var memberships: [Membership] = []
  /// Written under `lock`. A reader that needs the current value holds the lock too.
  private let valid = SingleWriter(true)

  /// A mode of a loop that contains the item.
  struct Membership: Sendable {
    let loop: CFRunLoop
    let mode: LoopMode
  }

  init(order: CFIndex) { self.order = order }

  /// Whether the item may still fire. Without the lock the answer may be out of date.
  final var isValid: Bool { valid.load() }

  // MARK: Overridden by each kind

  /// Called before the item is added to a mode, without any lock.
  func prepareToEnter() {}

  /// Whether the item may be in this loop in addition to its other memberships. Called with both
  /// locks.
  func mayEnter(_ loop: CFRunLoop) -> Bool { true }

  /// Inserts the item into the mode's list. Called with both locks.
  func enter(_ mode: LoopMode) {}

  /// Removes the item from the mode's list. Called with both locks.
  ///
  /// - Returns: whether the item was there.
  func leave(_ mode: LoopMode) -> Bool { false }

  /// Records that the item has entered or left memberships. Called with the item's lock.
  func note(entered: [Membership] = [], left: [Membership] = []) {}

  /// Makes the calls that `note(entered:left:)` has recorded. Called without any lock.
  func tell() {}

  /// Called once, without any lock, after the item became invalid and left its memberships.
  func wasInvalidated() {}

  // MARK: As a value

  func isSame(as other: RunLoopItem) -> Bool { self === other }

  func hashIdentity(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// "<CFRunLoopSource: order 0, valid>"
  var words: String { "<\(type(of: self)): order \(order), \(isValid ? "valid" : "invalid")>" }

  // MARK: Entering and leaving modes

  final func isIn(_ loop: CFRunLoop, _ name: CFRunLoopMode) -> Bool {
    if name == .commonModes {
      return loop.lock.withLock { loop.common.contains(self) }
    }
    return lock.withLock { memberships.contains { $0.loop === loop && $0.mode.name == name } }
  }

  /// Adds the item to a mode. Does nothing if the item is already there or invalid, or if the
  /// loop's thread has ended. Call from any thread.
  final func add(to loop: CFRunLoop, _ name: CFRunLoopMode) {
    prepareToEnter()
    lock.lock()
    guard canCome(to: loop) else { return lock.unlock() }
    loop.lock.lock()
    var entered: [Membership] = []
    if !loop.hasEnded {
      if name == .commonModes {
        for mode in loop.addCommon(self) where !isAt(mode) {
          enter(mode)
          entered.append(Membership(loop: loop, mode: mode))
        }
      } else {
        let mode = loop.mode(named: name)
        if !isAt(mode) {
          enter(mode)
          entered = [Membership(loop: loop, mode: mode)]
        }
      }
    }
    loop.lock.unlock()
    if memberships.isEmpty { memberships = entered } else { memberships += entered }
    note(entered: entered)
    lock.unlock()
    tell()
  }

  /// Enters a mode that has just become a common mode of a loop, if the item is still in the
  /// loop's common modes.
  final func join(_ mode: LoopMode, of loop: CFRunLoop) {
    lock.lock()
    guard isValid, !isAt(mode) else { return lock.unlock() }
    loop.lock.lock()
    let isWanted = !loop.hasEnded && loop.common.contains(self)
    if isWanted { enter(mode) }
    loop.lock.unlock()
    let entered = isWanted ? [Membership(loop: loop, mode: mode)] : []
    memberships += entered
    note(entered: entered)
    lock.unlock()
    tell()
  }

  /// Removes the item from a mode, or from all common modes if it was added to them as such.
  /// Call from any thread.
  final func remove(from loop: CFRunLoop, _ name: CFRunLoopMode) {
    lock.lock()
    loop.lock.lock()
    var left: [Membership] = []
    if name == .commonModes {
      if loop.common.remove(self) { left = leaveModes(of: loop) { $0.isCommon } }
    } else {
      left = leaveModes(of: loop) { $0.name == name }
      // If the item is now in no mode of the loop, the loop's end would not find it in `common`.
      if !memberships.contains(where: { $0.loop === loop }) { _ = loop.common.remove(self) }
    }
    loop.lock.unlock()
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
  }

  /// Removes the item from a loop whose thread has ended.
  final func removeAll(from loop: CFRunLoop) {
    lock.lock()
    loop.lock.lock()
    _ = loop.common.remove(self)
    let left = leaveModes(of: loop) { _ in true }
    loop.lock.unlock()
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
  }

  /// Requires both locks.
  ///
  /// - Returns: the memberships that the item has left.
  private func leaveModes(of loop: CFRunLoop, where isMeant: (LoopMode) -> Bool) -> [Membership] {
    var left: [Membership] = []
    memberships.removeAll { membership in
      guard membership.loop === loop, isMeant(membership.mode) else { return false }
      if leave(membership.mode) { left.append(membership) }
      return true
    }
    return left
  }

  /// Invalidates the item, which then never fires again. Call from any thread, any number of times.
  ///
  /// - Returns: whether this call invalidated it.
  @discardableResult
  final func invalidate() -> Bool {
    lock.lock()
    guard isValid else {
      lock.unlock()
      return false
    }
    let left = memberships
    for membership in left {
      membership.loop.lock.lock()
      _ = leave(membership.mode)
      _ = membership.loop.common.remove(self)
      membership.loop.lock.unlock()
    }
    memberships = []
    valid.store(false)
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
    wasInvalidated()
    return true
  }

  /// Wakes loops whose mode has become empty, since they must not continue to
  /// sleep.
  private func wakeEmptied(_ left: [Membership]) {
    // Also the main loop: only its own thread knows whether it runs within an item of the main
    // queue, and so waits for nothing any more.
    for membership in left {
      if membership.loop.lock.withLock({ membership.mode.isEmpty }) { membership.loop.wakeUp() }
    }
  }

  private func canCome(to loop: CFRunLoop) -> Bool { isValid && mayEnter(loop) }

  private func isAt(_ mode: LoopMode) -> Bool { memberships.contains { $0.mode === mode } }
}

extension RunLoopItem: Hashable, CustomStringConvertible {
  public static func == (a: RunLoopItem, b: RunLoopItem) -> Bool { a.isSame(as: b) }

  public func hash(into hasher: inout Hasher) { hashIdentity(into: &hasher) }

  public var description: String { words }
}
