// RunLines — what the pool has to run: a line for each urgency, first in first
// out.
//
// Touching    everything: under the pool's lock.

import Synchronization

struct RunLines: ~Copyable {
  private struct Line {
    var first: ItemPointer?
    var last: ItemPointer?
  }

  private let lines: UnsafeMutablePointer<Line>
  /// A bit for each line that is not empty.
  private var occupied: UInt128 = 0
  /// How often something was taken: for ageing, and to see whether anything moves.
  private(set) var takes: UInt32 = 0

  /// Every so many takes the lowest line is served first, so that none
  /// starves: a line that never empties costs the ones below it at most so
  /// many items of waiting.
  private static let ageingPeriod: UInt32 = 61

  init() {
    let count = Int(Urgency.highest.rawValue) + 1
    lines = .allocate(capacity: count)
    lines.initialize(repeating: Line(), count: count)
  }

  deinit { lines.deallocate() }

  var isEmpty: Bool { occupied == 0 }

  mutating func append(_ item: ItemPointer, at urgency: Urgency) {
    // order: relaxed; handed over under the pool's lock.
    item.pointee.next.store(nil, ordering: .relaxed)
    let line = lines + Int(urgency.rawValue)
    if let last = line.pointee.last {
      // order: relaxed; handed over under the pool's lock.
      last.pointee.next.store(item, ordering: .relaxed)
    } else {
      line.pointee.first = item
      occupied |= 1 &<< UInt128(urgency.rawValue)
    }
    line.pointee.last = item
  }

  /// How urgent the most urgent ones are.
  var highest: Urgency? { occupied == 0 ? nil : Urgency(rawValue: UInt8(highestIndex)) }

  private var highestIndex: Int { UInt128.bitWidth - 1 - occupied.leadingZeroBitCount }

  /// The item that is to run next, and how urgent it is.
  mutating func popFirst() -> (item: ItemPointer, urgency: Urgency)? {
    guard occupied != 0 else { return nil }
    takes &+= 1
    return pop(
      takes % RunLines.ageingPeriod == 0 ? occupied.trailingZeroBitCount : highestIndex)
  }

  /// The most urgent item, also where the lowest line would have its turn.
  mutating func popHighest() -> (item: ItemPointer, urgency: Urgency)? {
    guard occupied != 0 else { return nil }
    takes &+= 1
    return pop(highestIndex)
  }

  private mutating func pop(_ index: Int) -> (item: ItemPointer, urgency: Urgency) {
    let line = lines + index
    guard let item = line.pointee.first else { internalBug("line \(index) is empty") }
    // order: relaxed; handed over under the pool's lock.
    line.pointee.first = item.pointee.next.load(ordering: .relaxed)
    if line.pointee.first == nil {
      line.pointee.last = nil
      occupied &= ~(1 &<< UInt128(index))
    }
    return (item, Urgency(rawValue: UInt8(index)))
  }
}
