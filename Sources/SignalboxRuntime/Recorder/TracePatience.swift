// TracePatience — which item has waited in its queue for longer than it should.
//
// When an item was submitted stands in a table by a few bits of its address: one that falls
// into another's place is not watched any more. It is only ever missed, never taken for
// another: the rest of its address stands there too.
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

  /// In a place stand the microseconds, and above them the bits of the address that the place
  /// itself does not say.
  private static let timeMask: UInt64 = 1 << 40 - 1

  func note(_ item: UInt, at time: UInt64) {
    let (place, tag) = TracePatience.place(of: item)
    // order: relaxed; one word that says it all.
    places[place].store(tag | (time / 1000 & TracePatience.timeMask), ordering: .relaxed)
  }

  func ask(_ item: UInt, at time: UInt64) {
    let (place, tag) = TracePatience.place(of: item)
    // order: relaxed; as above.
    let found = places[place].load(ordering: .relaxed)
    guard found & ~TracePatience.timeMask == tag, found != 0 else { return }
    places[place].store(0, ordering: .relaxed)  // order: relaxed; as above.
    let waited = (time / 1000 &- found) & TracePatience.timeMask
    if waited &* 1000 > csb_trace_patience_load() { csb_trace_call(TraceCause.condition.rawValue) }
  }

  /// Items lie at multiples of 16: twelve bits that differ are in the place, 24 more above.
  private static func place(of item: UInt) -> (Int, UInt64) {
    let bits = UInt64(item) >> 3
    return (Int(bits % UInt64(count)), bits / UInt64(count) << 40)
  }
}
