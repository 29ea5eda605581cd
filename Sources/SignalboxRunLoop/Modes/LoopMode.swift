// LoopMode — one mode of one loop: the sources, timers and observers that fire while the loop
// runs in it.
//
// Touching    `name`, `loop`: never change. Everything else: under the loop's lock. A pass
//             copies a list and walks the copy without the lock; the array's storage is copied
//             only if the list changes in the meantime.
// Invariants  I1  a list holds each item once, sorted by `order`; items of the same order are
//                 sorted by arrival.
//             I2  an item in a list has this mode among its memberships, except while the item's
//                 own lock is held.

import SignalboxRuntime

final class LoopMode: @unchecked Sendable {  // SAFETY: see Touching.
  let name: CFRunLoopMode
  // SAFETY: a loop keeps its modes and outlives every use of them: code that uses a mode holds
  // a reference to the loop.
  unowned(unsafe) let loop: CFRunLoop
  /// Written under the loop's lock; without the lock it may be out of date.
  private let common = SingleWriter(false)
  /// Whether the program has used the mode's name.
  var isNamed = false

  /// Sources of version 0.
  var sources: [CFRunLoopSource] = []
  var observers: [CFRunLoopObserver] = []
  /// The sources of version 1, which end a sleep by themselves.
  var ports = ModePorts()
  var timers = ModeTimers()

  /// The activities that at least one observer wants. Written under the loop's lock, which also
  /// guards the list of observers.
  private let activities = SingleWriter<CFOptionFlags>(0)

  init(_ name: CFRunLoopMode, of loop: CFRunLoop) {
    self.name = name
    self.loop = loop
  }

  /// Whether the mode has nothing for a loop to wait for. Requires the loop's lock.
  var isEmpty: Bool { sources.isEmpty && ports.isEmpty && timers.isEmpty }

  /// Everything in the mode. Requires the loop's lock.
  var items: [RunLoopItem] {
    var items: [RunLoopItem] = sources
    items += ports.items
    items += timers.items
    items += observers as [RunLoopItem]
    return items
  }

  /// Whether the mode is a common mode. Without the lock the answer may be out of date.
  var isCommon: Bool { common.load() }

  func becomeCommon() { common.store(true) }

  // MARK: Observers

  /// Whether an observer wants this activity. A hint; it may miss an observer that is being added.
  @inline(__always)
  func hasObservers(of activity: CFRunLoopActivity) -> Bool {
    activities.load() & activity.rawValue != 0
  }

  /// Updates `activities` after the list of observers has changed. Requires the loop's lock.
  func noteObservers() {
    let wanted = observers.reduce(CFOptionFlags(0)) { $0 | $1.activities.rawValue }
    activities.store(wanted)
  }
}

extension Array where Element: RunLoopItem {
  /// Inserts an item after all items of the same or a lower order.
  mutating func insertInOrder(_ item: Element) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].order <= item.order { low = middle + 1 } else { high = middle }
    }
    insert(item, at: low)
  }

  /// - Returns: whether the item was there.
  mutating func removeItem(_ item: Element) -> Bool {
    guard let index = firstIndex(where: { $0 === item }) else { return false }
    remove(at: index)
    return true
  }
}
