// TraceSleepers — the threads that sleep on each word, to find who wakes them.
//
// A wake names a word; a wait names its object and its word. This table maps a
// word to its object as long as a thread sleeps on it.
//
// Touching    under the recorder's lock.
// Invariants  I1  the end of a wait names a waker only if it is certain: that
//                 thread made every wake of the word during the sleep.

/// A wait in progress: the data that its end needs.
struct TraceWait {
  /// The number of the object or queue; 0 if the wait is not recorded.
  var id: UInt64 = 0
  /// The recording to which the number belongs.
  var session: UInt32 = 0
  var flags: UInt8 = 0
  var word: UInt = 0
  /// The word's wake count at the start; nil if the table does not track the
  /// word.
  var wakes: UInt64?
  /// When the wait began.
  var began: UInt64 = 0
  /// Whether the place of its beginning is recorded.
  var hasPlace = false

  static var none: TraceWait { TraceWait() }
}

struct TraceSleepers {
  private struct Entry {
    var word: UInt = 0
    var id: UInt64 = 0
    var flags: UInt8 = 0
    var sleepers: UInt32 = 0
    /// How many times the word was woken since the table began to track it.
    var wakes: UInt64 = 0
    /// The thread that woke the word last, and the wake count before the first
    /// of that thread's latest uninterrupted wakes.
    var waker: UInt32 = 0
    var since: UInt64 = 0
  }

  private static let ways = 8
  private static let sets = 256

  private var entries = Array(repeating: Entry(), count: TraceSleepers.ways * TraceSleepers.sets)

  /// Notes that a thread is about to sleep.
  ///
  /// - Returns: the word's wake count; nil if the table has no room for the
  ///   word.
  mutating func begin(_ wait: TraceWait) -> UInt64? {
    let first = TraceSleepers.set(of: wait.word)
    var free: Int?
    for index in first..<first + TraceSleepers.ways {
      if entries[index].sleepers == 0 {
        free = free ?? index
      } else if entries[index].word == wait.word {
        entries[index].sleepers += 1
        return entries[index].wakes
      }
    }
    guard let free else { return nil }
    entries[free] = Entry(word: wait.word, id: wait.id, flags: wait.flags, sleepers: 1)
    return 0
  }

  /// Notes that the thread no longer sleeps.
  ///
  /// - Returns: the number of the thread that woke it; 0 if unknown.
  mutating func end(_ wait: TraceWait) -> UInt32 {
    guard let wakes = wait.wakes, let index = index(of: wait.word) else { return 0 }
    entries[index].sleepers -= 1
    let entry = entries[index]
    return entry.wakes != wakes && entry.since <= wakes ? entry.waker : 0
  }

  /// - Returns: the object that the woken threads wait for; nil if no known
  ///   thread sleeps.
  mutating func wake(_ word: UInt, by thread: UInt32) -> (id: UInt64, flags: UInt8)? {
    guard let index = index(of: word) else { return nil }
    if entries[index].waker != thread {
      entries[index].waker = thread
      entries[index].since = entries[index].wakes
    }
    entries[index].wakes += 1
    return (entries[index].id, entries[index].flags)
  }

  private func index(of word: UInt) -> Int? {
    var index = TraceSleepers.set(of: word)
    let end = index + TraceSleepers.ways
    while index < end {
      if entries[index].sleepers > 0 && entries[index].word == word { return index }
      index += 1
    }
    return nil
  }

  private static func set(of word: UInt) -> Int {
    Int((UInt64(word) &* 0x9E37_79B9_7F4A_7C15) >> 56) * ways
  }
}
