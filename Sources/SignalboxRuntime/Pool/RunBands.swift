// RunBands — what the pool has to run, first in first out in each band.
//
// Touching    everything: under the pool's lock.

import Synchronization

struct RunBands {
  private struct Line {
    var first: ItemPointer?
    var last: ItemPointer?
  }

  private var lines: (Line, Line, Line, Line, Line) = (.init(), .init(), .init(), .init(), .init())
  /// A bit for each band that is not empty.
  private var occupied: UInt8 = 0
  /// How often something was taken, for ageing.
  private var takes: UInt32 = 0

  /// Every so many takes the lowest band is served first, so that none
  /// starves: a band that never empties costs the ones below it at most so
  /// many items of waiting.
  private static let ageingPeriod: UInt32 = 61

  var isEmpty: Bool { occupied == 0 }

  mutating func append(_ item: ItemPointer, band: Band) {
    // order: relaxed; handed over under the pool's lock.
    item.pointee.next.store(nil, ordering: .relaxed)
    withLine(band) { line in
      if let last = line.last {
        // order: relaxed; handed over under the pool's lock.
        last.pointee.next.store(item, ordering: .relaxed)
      } else {
        line.first = item
      }
      line.last = item
    }
    occupied |= 1 << band.rawValue
  }

  /// The item that is to run next.
  mutating func popFirst() -> ItemPointer? {
    guard occupied != 0 else { return nil }
    takes &+= 1
    let highest = UInt8(7 - occupied.leadingZeroBitCount)
    let lowest = UInt8(occupied.trailingZeroBitCount)
    let raw = takes % RunBands.ageingPeriod == 0 ? lowest : highest
    guard let band = Band(rawValue: raw) else { internalBug("band \(raw) does not exist") }
    let (item, emptied) = withLine(band) { line in
      let item = line.first
      // order: relaxed; handed over under the pool's lock.
      line.first = item?.pointee.next.load(ordering: .relaxed)
      if line.first == nil { line.last = nil }
      return (item, line.first == nil)
    }
    if emptied { occupied &= ~(1 << raw) }
    return item
  }

  private mutating func withLine<R>(_ band: Band, _ body: (inout Line) -> R) -> R {
    switch band {
    case .background: body(&lines.0)
    case .utility: body(&lines.1)
    case .standard: body(&lines.2)
    case .userInitiated: body(&lines.3)
    case .userInteractive: body(&lines.4)
    }
  }
}
