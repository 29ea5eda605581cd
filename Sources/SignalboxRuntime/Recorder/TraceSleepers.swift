// TraceSleepers — who sleeps on which word, to tell by whom they were woken.
//
// A wake names a word, a wait its object and its word. The word is known here as long as
// somebody sleeps on it.
//
// Touching    under the recorder's lock.
// Invariants  I1  a waker is named only where it must have been that one: all wakes of the
//                 word during the sleep were its.

/// A wait that is recorded: what its end must tell.
package struct TraceWait {
  /// Of the object or the queue; 0: the wait is not recorded.
  var id: UInt64 = 0
  /// The recording in which it is that.
  var session: UInt32 = 0
  var flags: UInt8 = 0
  var word: UInt = 0
  /// How often the word was woken before; nil where the word is not followed.
  var wakes: UInt64?
  /// When it began.
  var began: UInt64 = 0
  /// Whether it is recorded where it was begun.
  var hasPlace = false

  static var none: TraceWait { TraceWait() }
}

struct TraceSleepers {
  private struct Entry {
    var word: UInt = 0
    var id: UInt64 = 0
    var flags: UInt8 = 0
    var sleepers: UInt32 = 0
    /// How often it was woken since it is followed.
    var wakes: UInt64 = 0
    /// Who woke it last, and how many wakes there had been before the first of those in a
    /// row that were all by this thread.
    var waker: UInt32 = 0
    var since: UInt64 = 0
  }

  private static let ways = 8
  private static let sets = 256

  private var entries = Array(repeating: Entry(), count: TraceSleepers.ways * TraceSleepers.sets)

  /// A thread is about to sleep.
  ///
  /// - Returns: how often the word was woken so far; nil where too many others are followed.
  mutating func begin(_ wait: TraceWait) -> UInt64? {
    let first = TraceSleepers.set(of: wait.word)
    var free: Int?
    for place in first..<first + TraceSleepers.ways {
      if entries[place].sleepers == 0 {
        free = free ?? place
      } else if entries[place].word == wait.word {
        entries[place].sleepers += 1
        return entries[place].wakes
      }
    }
    guard let free else { return nil }
    entries[free] = Entry(word: wait.word, id: wait.id, flags: wait.flags, sleepers: 1)
    return 0
  }

  /// It sleeps no more.
  ///
  /// - Returns: the number of the thread that has woken it; 0 where that is not known.
  mutating func end(_ wait: TraceWait) -> UInt32 {
    guard let wakes = wait.wakes, let place = place(of: wait.word) else { return 0 }
    entries[place].sleepers -= 1
    let entry = entries[place]
    return entry.wakes != wakes && entry.since <= wakes ? entry.waker : 0
  }

  /// - Returns: for what those wait who are woken; nil if nobody is known to sleep.
  mutating func wake(_ word: UInt, by thread: UInt32) -> (id: UInt64, flags: UInt8)? {
    guard let place = place(of: word) else { return nil }
    if entries[place].waker != thread {
      entries[place].waker = thread
      entries[place].since = entries[place].wakes
    }
    entries[place].wakes += 1
    return (entries[place].id, entries[place].flags)
  }

  private func place(of word: UInt) -> Int? {
    let first = TraceSleepers.set(of: word)
    return (first..<first + TraceSleepers.ways).first {
      entries[$0].sleepers > 0 && entries[$0].word == word
    }
  }

  private static func set(of word: UInt) -> Int {
    Int((UInt64(word) &* 0x9E37_79B9_7F4A_7C15) >> 56) * ways
  }
}
