// CommonModes — the items that were added to a loop's common modes.
//
// A flag in each mode says whether the mode is common.
//
// Touching    everything: under the loop's lock.

import SignalboxRuntime

struct CommonModes {
  /// The modes that are common in every loop from the start.
  static var first: [CFRunLoopMode] {
    [
      .defaultMode, CFRunLoopMode(RunLoop.Mode.eventTracking),
      CFRunLoopMode(RunLoop.Mode.modalPanel),
    ]
  }

  /// A dictionary, because thousands of timers may come and go: finding one takes constant time.
  private var arrivals: [ObjectIdentifier: (item: RunLoopItem, arrival: UInt64)] = [:]
  private var lastArrival: UInt64 = 0

  /// The items in the order in which they were added.
  var items: [RunLoopItem] {
    arrivals.values.sorted { $0.arrival < $1.arrival }.map(\.item)
  }

  func contains(_ item: RunLoopItem) -> Bool { arrivals[ObjectIdentifier(item)] != nil }

  /// - Returns: whether the item is new.
  mutating func add(_ item: RunLoopItem) -> Bool {
    if contains(item) { return false }
    lastArrival += 1
    arrivals[ObjectIdentifier(item)] = (item, lastArrival)
    return true
  }

  /// - Returns: whether the item was there. The caller must hold another reference to it.
  mutating func remove(_ item: RunLoopItem) -> Bool {
    if arrivals.isEmpty { return false }
    return arrivals.removeValue(forKey: ObjectIdentifier(item)) != nil
  }
}

extension CFRunLoop {
  /// Adds an item to the common modes. Requires both locks.
  ///
  /// - Returns: the modes that the item must enter.
  func addCommon(_ item: RunLoopItem) -> [LoopMode] {
    common.add(item) ? modes.filter(\.isCommon) : []
  }

  /// Makes a mode one of the common modes. Call from any thread.
  func addCommonMode(_ name: CFRunLoopMode) {
    if name == .commonModes {
      clientBug(
        "the common modes were added to themselves, in \(words): add a mode by its own name.")
    }
    lock.lock()
    let mode = self.mode(named: name)
    let items = mode.isCommon || hasEnded ? [] : common.items
    mode.becomeCommon()
    lock.unlock()
    // An item that was removed in the meantime is no longer a common one; `join` checks that.
    for item in items { item.join(mode, of: self) }
    if !items.isEmpty { wakeUp() }
  }

  /// The modes that the loop has run in or that something was added to.
  var knownModes: [CFRunLoopMode] {
    lock.withLock { modes.filter { $0.isNamed || !$0.isEmpty } }.map(\.name)
  }
}
