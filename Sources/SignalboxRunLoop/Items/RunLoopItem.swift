// RunLoopItem — what sources, timers and observers have in common: an order, validity,
// and the places where they are: a mode of a loop each.
//
// An item's lock is taken before a loop's, and never the other way round; neither is held
// when anything of the program's is called.
//
// Touching    `order`: never changes. `valid`: any thread, atomically; changed under `lock`.
//             `places`: under `lock`.
// Invariants  I1  an item that is not valid has no places, and gets none.
//             I2  between taking `lock` and leaving it, the item's places and the lists of
//                 the modes are made to agree.

import Synchronization

/// A source, a timer or an observer of run loops.
///
/// *Beyond Apple's API.* There each is a type of its own; what they share stands here.
public class RunLoopItem: @unchecked Sendable {  // SAFETY: see Touching.
  let order: CFIndex
  let lock = ItemLock()
  private(set) var places: [Place] = []
  private let valid = Atomic<Bool>(true)

  /// Where an item is.
  struct Place: Sendable {
    let loop: CFRunLoop
    let mode: LoopMode
  }

  init(order: CFIndex) { self.order = order }

  /// Whether it may still fire. For good only with the lock held.
  final var isValid: Bool {
    valid.load(ordering: .relaxed)  // order: relaxed; a hint without the lock.
  }

  // MARK: What each kind says for itself

  /// Without any lock, when it is to be added somewhere.
  func prepareToEnter() {}

  /// With both locks: whether it may be in this loop beside its other places.
  func mayEnter(_ loop: CFRunLoop) -> Bool { true }

  /// With both locks: puts it into the mode's list.
  func enter(_ mode: LoopMode) {}

  /// With both locks: takes it out of the mode's list.
  ///
  /// - Returns: whether it was there.
  func leave(_ mode: LoopMode) -> Bool { false }

  /// With the item's lock: it has come to places, or left them.
  func note(entered: [Place] = [], left: [Place] = []) {}

  /// Without any lock: says what was noted.
  func tell() {}

  /// Without any lock, once: it is not valid any more, and has left its places.
  func wasInvalidated() {}

  // MARK: As a value

  func isSame(as other: RunLoopItem) -> Bool { self === other }

  func hashIdentity(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// "<CFRunLoopSource: order 0, valid>"
  var words: String { "<\(type(of: self)): order \(order), \(isValid ? "valid" : "invalid")>" }

  // MARK: Coming and going

  final func isIn(_ loop: CFRunLoop, _ name: CFRunLoopMode) -> Bool {
    if name == .commonModes {
      return loop.lock.withLock { loop.common.contains(self) }
    }
    return lock.withLock { places.contains { $0.loop === loop && $0.mode.name == name } }
  }

  /// Any thread. Nothing happens if it is there, is not valid, or the loop's thread has
  /// ended.
  final func add(to loop: CFRunLoop, _ name: CFRunLoopMode) {
    prepareToEnter()
    lock.lock()
    guard canCome(to: loop) else { return lock.unlock() }
    loop.lock.lock()
    var entered: [Place] = []
    if !loop.hasEnded {
      if name == .commonModes {
        for mode in loop.addCommon(self) where !isAt(mode) {
          enter(mode)
          entered.append(Place(loop: loop, mode: mode))
        }
      } else {
        let mode = loop.mode(named: name)
        if !isAt(mode) {
          enter(mode)
          entered = [Place(loop: loop, mode: mode)]
        }
      }
    }
    loop.lock.unlock()
    if places.isEmpty { places = entered } else { places += entered }
    note(entered: entered)
    lock.unlock()
    tell()
  }

  /// A mode has joined the common modes of a loop in which this item is a common one.
  final func join(_ mode: LoopMode, of loop: CFRunLoop) {
    lock.lock()
    guard isValid, !isAt(mode) else { return lock.unlock() }
    loop.lock.lock()
    let isWanted = !loop.hasEnded && loop.common.contains(self)
    if isWanted { enter(mode) }
    loop.lock.unlock()
    let entered = isWanted ? [Place(loop: loop, mode: mode)] : []
    places += entered
    note(entered: entered)
    lock.unlock()
    tell()
  }

  /// Any thread. Of the common modes: from all of them, if it was added to them as such.
  final func remove(from loop: CFRunLoop, _ name: CFRunLoopMode) {
    lock.lock()
    loop.lock.lock()
    var left: [Place] = []
    if name == .commonModes {
      if loop.common.remove(self) { left = leavePlaces(of: loop) { $0.isCommon } }
    } else {
      left = leavePlaces(of: loop) { $0.name == name }
      // Nowhere in the loop any more: its end would not find the way there.
      if !places.contains(where: { $0.loop === loop }) { _ = loop.common.remove(self) }
    }
    loop.lock.unlock()
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
  }

  /// The loop's thread has ended.
  final func removeAll(from loop: CFRunLoop) {
    lock.lock()
    loop.lock.lock()
    _ = loop.common.remove(self)
    let left = leavePlaces(of: loop) { _ in true }
    loop.lock.unlock()
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
  }

  /// With both locks.
  ///
  /// - Returns: which it has left.
  private func leavePlaces(of loop: CFRunLoop, where isMeant: (LoopMode) -> Bool) -> [Place] {
    var left: [Place] = []
    places.removeAll { place in
      guard place.loop === loop, isMeant(place.mode) else { return false }
      if leave(place.mode) { left.append(place) }
      return true
    }
    return left
  }

  /// Any thread, and again freely: it never fires again.
  ///
  /// - Returns: whether it was this call that made it invalid.
  @discardableResult
  final func invalidate() -> Bool {
    lock.lock()
    guard isValid else {
      lock.unlock()
      return false
    }
    let left = places
    for place in left {
      place.loop.lock.lock()
      _ = leave(place.mode)
      _ = place.loop.common.remove(self)
      place.loop.lock.unlock()
    }
    places = []
    valid.store(false, ordering: .relaxed)  // order: relaxed; as in `isValid`.
    note(left: left)
    lock.unlock()
    wakeEmptied(left)
    tell()
    wasInvalidated()
    return true
  }

  /// A loop that has nothing left to wait for is not to sleep on.
  private func wakeEmptied(_ left: [Place]) {
    for place in left where !place.loop.servesMainQueue(place.mode) {
      if place.loop.lock.withLock({ place.mode.isEmpty }) { place.loop.wakeUp() }
    }
  }

  private func canCome(to loop: CFRunLoop) -> Bool { isValid && mayEnter(loop) }

  private func isAt(_ mode: LoopMode) -> Bool { places.contains { $0.mode === mode } }
}

extension RunLoopItem: Hashable, CustomStringConvertible {
  public static func == (a: RunLoopItem, b: RunLoopItem) -> Bool { a.isSame(as: b) }

  public func hash(into hasher: inout Hasher) { hashIdentity(into: &hasher) }

  public var description: String { words }
}
