// TraceWaitLimit — finds items that have waited in their queue for too long.
//
// A table, indexed by a few bits of an item's address, holds the time at which
// the item was submitted. An item that hashes to an occupied entry replaces the
// earlier item, which is no longer watched. The table can miss an item but
// never mistakes one for another: an entry also holds the remaining bits of the
// address.

import CSignalbox
import SignalboxRuntime

package final class TraceWaitLimit: @unchecked Sendable {  // SAFETY: `entries` is constant.
  static let shared = TraceWaitLimit()

  private static let count = 8192
  /// Written by any thread. One word holds a whole entry.
  // SAFETY: never freed.
  private let entries: UnsafeMutablePointer<Relaxed<UInt64>>

  /// Items that start before this time are not late. Written by the thread that
  /// writes the recording, read by any; with an old value, that thread is woken
  /// without need, or an item is missed.
  private let pausedUntil = Relaxed<UInt64>(0)

  private init() {
    entries = .allocate(capacity: TraceWaitLimit.count)
    for index in 0..<TraceWaitLimit.count { (entries + index).initialize(to: Relaxed(0)) }
  }

  /// The low bits of an entry hold microseconds. The bits above hold the part
  /// of the address that the index doesn't cover.
  private static let timeMask: UInt64 = 1 << 40 - 1

  func note(_ item: UInt, at time: UInt64) {
    let (index, tag) = TraceWaitLimit.position(of: item)
    entries[index].store(tag | (time / 1000 & TraceWaitLimit.timeMask))
  }

  func ask(_ item: UInt, at time: UInt64) {
    let (index, tag) = TraceWaitLimit.position(of: item)
    let found = entries[index].load()
    guard found & ~TraceWaitLimit.timeMask == tag, found != 0 else { return }
    entries[index].store(0)
    let waited = (time / 1000 &- found) & TraceWaitLimit.timeMask
    if waited &* 1000 > csb_trace_wait_limit_load(), time >= pausedUntil.load() {
      csb_trace_call(TraceCause.condition.rawValue)
    }
  }

  /// Ignores the items that start before a time on the uptime clock.
  package static func pause(until time: UInt64) { shared.pausedUntil.store(time) }

  /// Items are aligned to 16 bytes. Twelve of the varying bits form the index,
  /// 24 more the tag.
  private static func position(of item: UInt) -> (Int, UInt64) {
    let bits = UInt64(item) >> 3
    return (Int(bits % UInt64(count)), bits / UInt64(count) << 40)
  }
}
