// LoopMode — one mode of one loop: what fires while the loop runs in it.
//
// Touching    `name`, `loop`: never change. `common`, `activities`: any thread, atomically;
//             changed under the loop's lock. All else:
//             under the loop's lock. A pass takes a copy of a list and walks that
//             without the lock: an array is copied only if it is changed meanwhile.
// Invariants  I1  a list has every item once, in the order of `order`, and of those of
//                 one order the first that came first.
//             I2  an item in a list has this mode among its places, but for the moment
//                 in which the item's own lock is held.

import Synchronization

final class LoopMode: @unchecked Sendable {  // SAFETY: see Touching.
  let name: CFRunLoopMode
  // SAFETY: a loop keeps its modes and outlives every use of them: what has a mode in hand
  // has the loop too.
  unowned(unsafe) let loop: CFRunLoop
  private let common = Atomic<Bool>(false)
  /// Whether the program has named it.
  var isNamed = false

  /// Sources of version 0.
  var sources: [CFRunLoopSource] = []
  var observers: [CFRunLoopObserver] = []
  /// What sleeps wait for besides.
  var ports = ModePorts()
  var timers = ModeTimers()

  /// Which activities some observer wants to be told of.
  private let activities = Atomic<CFOptionFlags>(0)

  init(_ name: CFRunLoopMode, of loop: CFRunLoop) {
    self.name = name
    self.loop = loop
  }

  /// Under the loop's lock: whether there is nothing that a loop could wait for.
  var isEmpty: Bool { sources.isEmpty && ports.isEmpty && timers.isEmpty }

  /// Under the loop's lock: all that is in the mode.
  var items: [RunLoopItem] {
    var items: [RunLoopItem] = sources
    items += ports.items
    items += timers.items
    items += observers as [RunLoopItem]
    return items
  }

  /// Whether it belongs to the common modes. For good only with the lock held.
  var isCommon: Bool {
    common.load(ordering: .relaxed)  // order: relaxed; who must know has the lock.
  }

  func becomeCommon() {
    common.store(true, ordering: .relaxed)  // order: relaxed; as above.
  }

  // MARK: Observers

  /// Whether an observer wants to be told. A hint: one that is just being added may miss it.
  @inline(__always)
  func hasObservers(of activity: CFRunLoopActivity) -> Bool {
    // order: relaxed; the list is read under the lock.
    activities.load(ordering: .relaxed) & activity.rawValue != 0
  }

  /// Under the loop's lock: the list of observers has changed.
  func noteObservers() {
    let wanted = observers.reduce(CFOptionFlags(0)) { $0 | $1.activities.rawValue }
    activities.store(wanted, ordering: .relaxed)  // order: relaxed; as above.
  }
}

extension Array where Element: RunLoopItem {
  /// Puts an item behind those that come before it or have the same order.
  mutating func insertInOrder(_ item: Element) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].order <= item.order { low = middle + 1 } else { high = middle }
    }
    insert(item, at: low)
  }

  /// - Returns: whether it was there.
  mutating func removeItem(_ item: Element) -> Bool {
    guard let index = firstIndex(where: { $0 === item }) else { return false }
    remove(at: index)
    return true
  }
}
