// TracePlaceSampler — decides for which events of a thread the place is
// recorded.
//
// For each kind of event on each object, it picks the first, second, fourth and
// so on, and every 1024th, because a recording of a long program keeps only the
// end of the run. The cost is bounded: after an initial credit of 64, a thread
// records at most one place in a hundred microseconds. A place takes a few
// microseconds, up to ten, so a thread spends at most a tenth of its time on
// places.
//
// Touching    everything: its own thread.

struct TracePlaceSampler: ~Copyable {
  private struct Entry {
    var key: UInt64 = 0
    var count: UInt32 = 0
  }

  /// Keys that hash to the same entry replace each other, and their count
  /// starts again.
  private static var size: Int { 128 }
  /// The time charged for one place, in nanoseconds: a hundred microseconds for
  /// the few that it takes.
  private static var price: UInt64 { 100_000 }
  /// How many places a thread that has taken none for a while may take at once.
  private static var stock: UInt64 { 64 }

  private var entries: [Entry] = []
  private var session: UInt32 = 0
  /// The time up to which this thread has used its share.
  private var paid: UInt64 = 0

  /// Whether to record the place of this event.
  ///
  /// - Parameters:
  ///   - key: identifies the kind of event and the object; never 0.
  ///   - time: the time of the uptime clock.
  mutating func isTurn(of key: UInt64, in session: UInt32, at time: UInt64) -> Bool {
    if self.session != session || entries.isEmpty {
      self.session = session
      entries = Array(repeating: Entry(), count: TracePlaceSampler.size)
    }
    let index = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 57)
    if entries[index].key != key { entries[index] = Entry(key: key) }
    entries[index].count &+= 1
    let count = entries[index].count
    guard count & (count &- 1) == 0 || count % 1024 == 0 else { return false }
    let from = max(paid, time)
    guard from - time < TracePlaceSampler.stock * TracePlaceSampler.price else { return false }
    paid = from + TracePlaceSampler.price
    return true
  }
}
