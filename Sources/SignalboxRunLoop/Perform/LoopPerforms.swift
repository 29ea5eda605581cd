// LoopPerforms — what a thread performs on its own loop later: ordered, or after a delay.
//
// Costs: finding the next perform checks only the first one, unless the first one waits for another
// mode. Cancelling checks all.
//
// Touching    everything: the loop's own thread.
// Invariants  I1  a list is sorted by `rank`; entries of the same rank are sorted by arrival.
//             I2  an entry that was performed or cancelled has no block. A performed entry leaves
//                 the list at the end of the step that performs it, a cancelled one at once.

import SignalboxRuntime

struct LoopPerforms {
  /// A pending perform and the name by which it can be cancelled.
  final class Entry {
    let name: PerformName
    /// The order, or the deadline on the uptime clock.
    let rank: Int64
    let modes: LoopBlocks.Modes
    fileprivate var block: (() -> Void)?

    init(
      _ name: PerformName, rank: Int64, modes: LoopBlocks.Modes, _ block: @escaping () -> Void
    ) {
      self.name = name
      self.rank = rank
      self.modes = modes
      self.block = block
    }

    fileprivate var isPending: Bool { block != nil }

    fileprivate func cancel() { block = nil }

    fileprivate func isPending(in mode: LoopMode) -> Bool {
      isPending && modes.contains(mode.name, isCommon: mode.isCommon)
    }
  }

  private(set) var inOrder: [Entry] = []
  private(set) var delayed: [Entry] = []

  mutating func addInOrder(_ entry: Entry) { LoopPerforms.insert(entry, into: &inOrder) }

  mutating func addDelayed(_ entry: Entry) { LoopPerforms.insert(entry, into: &delayed) }

  private static func insert(_ entry: Entry, into list: inout [Entry]) {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle].rank <= entry.rank { low = middle + 1 } else { high = middle }
    }
    list.insert(entry, at: low)
  }

  // MARK: Queries

  func hasAny(for mode: LoopMode) -> Bool {
    if inOrder.isEmpty && delayed.isEmpty { return false }
    return inOrder.contains { $0.isPending(in: mode) }
      || delayed.contains { $0.isPending(in: mode) }
  }

  func hasInOrder(for mode: LoopMode) -> Bool {
    inOrder.contains { $0.isPending(in: mode) }
  }

  func nextDeadline(for mode: LoopMode) -> UInt64 {
    if delayed.isEmpty { return UptimeLimit.never }
    let first = delayed.first { $0.isPending(in: mode) }
    return first.map { UInt64($0.rank) } ?? UptimeLimit.never
  }

  // MARK: Removal

  /// Takes the block out of the entry.
  fileprivate static func take(_ entry: Entry, in mode: LoopMode) -> (() -> Void)? {
    guard entry.isPending(in: mode) else { return nil }
    defer { entry.block = nil }
    return entry.block
  }

  // Each of these functions returns an array with the removed entries. The caller must release it
  // only when no list is in use, because freeing an entry may call back into the loop.

  /// Removes the entries that were performed or cancelled.
  fileprivate mutating func tidyInOrder() -> [Entry] { LoopPerforms.remove(from: &inOrder) }

  fileprivate mutating func tidyDelayed() -> [Entry] { LoopPerforms.remove(from: &delayed) }

  private static func remove(from list: inout [Entry]) -> [Entry] {
    let old = list
    list.removeAll { !$0.isPending }
    return old
  }

  mutating func removeInOrder(where isMeant: (PerformName) -> Bool) -> [Entry] {
    LoopPerforms.remove(from: &inOrder, isMeant)
  }

  mutating func removeDelayed(where isMeant: (PerformName) -> Bool) -> [Entry] {
    LoopPerforms.remove(from: &delayed, isMeant)
  }

  private static func remove(
    from list: inout [Entry], _ isMeant: (PerformName) -> Bool
  ) -> [Entry] {
    let removed = list.filter { isMeant($0.name) }
    if !removed.isEmpty { list.removeAll { isMeant($0.name) } }
    return removed
  }

  /// Removes everything when the thread ends.
  mutating func takeAll() -> [Entry] {
    defer { self = LoopPerforms() }
    return inOrder + delayed
  }
}

extension Array where Element == LoopPerforms.Entry {
  /// Cancels all entries, even if a pass is walking a copy of the list that held them.
  func cancel() { for entry in self { entry.cancel() } }
}

extension CFRunLoop {
  /// Step 4: runs the ordered performs that were queued before this step began.
  func performInOrder(_ mode: LoopMode) {
    if performs.inOrder.isEmpty { return }
    for entry in performs.inOrder {
      guard let block = LoopPerforms.take(entry, in: mode) else { continue }
      tell(.perform, mode)
      block()
    }
    withExtendedLifetime(performs.tidyInOrder()) {}
  }

  /// Step 9: runs the delayed performs that are due.
  func performDelayed(_ mode: LoopMode) {
    guard performs.nextDeadline(for: mode) != UptimeLimit.never else { return }
    let now = Int64(clamping: Clock.uptime.now)
    for entry in performs.delayed {
      if entry.rank > now { break }
      guard let block = LoopPerforms.take(entry, in: mode) else { continue }
      // A delayed perform counts as a timer, as in Apple's API.
      tell(.timer, mode)
      block()
    }
    withExtendedLifetime(performs.tidyDelayed()) {}
  }
}
