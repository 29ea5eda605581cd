// TracePlaceSampler — of which of a thread's steps it is recorded where they were taken.
//
// Of one kind of step upon one object the first, the second, the fourth and so on; of many, every
// 1024th, since of a long program only the end is kept. What that costs has a bound: a place
// takes some microseconds, and a thread takes no more than one in a hundred, but for a stock of 64.
//
// Touching    everything: its own thread.

struct TracePlaceSampler: ~Copyable {
  private struct Entry {
    var key: UInt64 = 0
    var count: UInt32 = 0
  }

  /// Steps that fall into one entry take it from each other, and count from the beginning again.
  private static var size: Int { 128 }
  /// What one place is reckoned at, in nanoseconds: a hundred microseconds for a few.
  private static var price: UInt64 { 100_000 }
  /// For how many a thread that took none for a while has credit.
  private static var stock: UInt64 { 64 }

  private var entries: [Entry] = []
  private var session: UInt32 = 0
  /// Up to when this thread has had its share.
  private var paid: UInt64 = 0

  /// Whether it is this step's turn.
  ///
  /// - Parameters:
  ///   - key: what step upon what object: never 0.
  ///   - time: the uptime clock's.
  mutating func isTurn(of key: UInt64, in session: UInt32, at time: UInt64) -> Bool {
    if self.session != session || entries.isEmpty {
      self.session = session
      entries = Array(repeating: Entry(), count: TracePlaceSampler.size)
    }
    let place = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 57)
    if entries[place].key != key { entries[place] = Entry(key: key) }
    entries[place].count &+= 1
    let count = entries[place].count
    guard count & (count &- 1) == 0 || count % 1024 == 0 else { return false }
    let from = max(paid, time)
    guard from - time < TracePlaceSampler.stock * TracePlaceSampler.price else { return false }
    paid = from + TracePlaceSampler.price
    return true
  }
}
