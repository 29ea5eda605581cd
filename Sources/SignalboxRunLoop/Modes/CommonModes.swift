// CommonModes — what a loop keeps of its common modes: what was added to them as such.
//
// Which modes these are, each mode says of itself.
//
// Touching    everything: under the loop's lock.

import SignalboxRuntime

struct CommonModes {
  /// Those that every loop has from the beginning.
  static var first: [CFRunLoopMode] {
    [
      .defaultMode, CFRunLoopMode(RunLoop.Mode.eventTracking),
      CFRunLoopMode(RunLoop.Mode.modalPanel),
    ]
  }

  /// Thousands of timers may come and go: each is found at once.
  private var arrivals: [ObjectIdentifier: (item: RunLoopItem, arrival: UInt64)] = [:]
  private var lastArrival: UInt64 = 0

  /// In the order in which they came.
  var items: [RunLoopItem] {
    arrivals.values.sorted { $0.arrival < $1.arrival }.map(\.item)
  }

  func contains(_ item: RunLoopItem) -> Bool { arrivals[ObjectIdentifier(item)] != nil }

  /// - Returns: whether it is new.
  mutating func add(_ item: RunLoopItem) -> Bool {
    if contains(item) { return false }
    lastArrival += 1
    arrivals[ObjectIdentifier(item)] = (item, lastArrival)
    return true
  }

  /// - Returns: whether it was there. The caller has a reference besides.
  mutating func remove(_ item: RunLoopItem) -> Bool {
    if arrivals.isEmpty { return false }
    return arrivals.removeValue(forKey: ObjectIdentifier(item)) != nil
  }
}

extension CFRunLoop {
  /// With both locks: an item that was added to the common modes.
  ///
  /// - Returns: where it is to go.
  func addCommon(_ item: RunLoopItem) -> [LoopMode] {
    common.add(item) ? modes.filter(\.isCommon) : []
  }

  /// Has a mode belong to the common ones from now on. Any thread.
  func addCommonMode(_ name: CFRunLoopMode) {
    if name == .commonModes {
      clientBug(
        "the common modes were added to themselves, in \(words): add a mode, by its own name.")
    }
    lock.lock()
    let mode = self.mode(named: name)
    let items = mode.isCommon || hasEnded ? [] : common.items
    mode.becomeCommon()
    lock.unlock()
    // One that is removed meanwhile is not among the common ones any more.
    for item in items { item.join(mode, of: self) }
    if !items.isEmpty { wakeUp() }
  }

  /// The modes that something was added to or that the loop has run in.
  var knownModes: [CFRunLoopMode] {
    lock.withLock { modes.filter { $0.isNamed || !$0.isEmpty } }.map(\.name)
  }
}
