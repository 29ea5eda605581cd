// TracePatience — finds items that have waited in their queue for too long.
//
// A table, indexed by a few bits of an item's address, holds the time at which
// the item was submitted. An item that hashes to an occupied entry replaces the
// earlier item, which is no longer watched. The table can miss an item but
// never mistakes one for another: an entry also holds the remaining bits of the
// address.
//
// Touching    `places`: any thread, atomically.

import CSignalbox
import Synchronization

final class TracePatience: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = TracePatience()

  private static let count = 8192
  // SAFETY: never freed.
  private let places: UnsafeMutablePointer<Atomic<UInt64>>

  private init() {
    places = .allocate(capacity: TracePatience.count)
    for place in 0..<TracePatience.count { (places + place).initialize(to: Atomic(0)) }
  }

  /// The low bits of an entry hold microseconds. The bits above hold the part
  /// of the address that the index doesn't cover.
  private static let timeMask: UInt64 = 1 << 40 - 1

  func note(_ item: UInt, at time: UInt64) {
    let (place, tag) = TracePatience.place(of: item)
    // order: relaxed; one word holds the whole entry.
    places[place].store(tag | (time / 1000 & TracePatience.timeMask), ordering: .relaxed)
  }

  func ask(_ item: UInt, at time: UInt64) {
    let (place, tag) = TracePatience.place(of: item)
    // order: relaxed; one word holds the whole entry.
    let found = places[place].load(ordering: .relaxed)
    guard found & ~TracePatience.timeMask == tag, found != 0 else { return }
    places[place].store(0, ordering: .relaxed)  // order: relaxed; one word.
    let waited = (time / 1000 &- found) & TracePatience.timeMask
    if waited &* 1000 > csb_trace_patience_load() { csb_trace_call(TraceCause.condition.rawValue) }
  }

  /// Items are aligned to 16 bytes. Twelve of the varying bits form the index,
  /// 24 more the tag.
  private static func place(of item: UInt) -> (Int, UInt64) {
    let bits = UInt64(item) >> 3
    return (Int(bits % UInt64(count)), bits / UInt64(count) << 40)
  }
}
