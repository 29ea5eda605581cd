// TimeRows — the memory of all histograms, of a fixed size: rows for queues, and for the sums of
// queues that have ended.
//
// A row is a structure of words, which a reader in another process finds by the offsets that `describe`
// states. Rows are numbered from 1, because 0 in a queue says that it has none.
//
// Touching    `use`, `object`, `kind` and the label of a row: written under the lock of `QueueTimes`. The
//             counts: any thread, by additions that order nothing; a queue's row is merged into another one
//             when no thread can be on the queue any more. `changes`: under the same lock.
// Invariants  I1  a row that nobody uses is zero. Exchanges clear it, and what each of them finds
//                 goes into the row that takes the counts over. So no count is lost.

import CSignalbox
import SignalboxRuntime

struct TimeRows: @unchecked Sendable {  // SAFETY: see Touching.
  /// What a row is used for. Readers in other processes know these by name.
  enum Use: UInt64 {
    case none = 0
    /// One queue.
    case queue = 1
    /// The sums of all queues with one label that have ended.
    case ended = 2
    /// The sums of all queues that have no row of their own.
    case others = 3
  }

  /// Places in a row, in words.
  enum Place {
    static let use = 0
    static let object = 1
    static let kind = 2
    static let label = 3
    /// How many items with a known time of submission wait, in two's complement.
    static var waiting: Int { label + labelWords }
    static var mostWaiting: Int { waiting + 1 }
    static var unmeasured: Int { mostWaiting + 1 }
    static var waits: Int { unmeasured + 1 }
    static var runs: Int { waits + histogramWords }

    /// A label is cut to this many words, including a zero at its end.
    static let labelWords = 8
    /// Of a histogram: the sum, the longest time, the buckets.
    static var histogramWords: Int { 2 + TimeBuckets.count }
    static var rowWords: Int { runs + histogramWords }
  }

  /// One row for `others`, and those for queues. The number of a row takes a byte.
  static let count = 128
  static let others = 1

  let base: UnsafeMutableRawPointer

  /// nil if the system refuses the memory.
  init?() {
    var memory: UnsafeMutableRawPointer?
    guard csb_memory_map(TimeRows.size, &memory) == 0, let memory else { return nil }
    base = memory
    self[TimeRows.others].use = .others
  }

  /// In bytes: two words of the list, and the rows.
  private static var size: Int { 16 + count * stride }
  private static var stride: Int { Place.rowWords * 8 }

  /// A count of changes to what rows are used for; odd during one.
  private var changes: UnsafeMutablePointer<UInt64> {
    base.assumingMemoryBound(to: UInt64.self)  // SAFETY: the first word of the memory.
  }

  /// Carries out a change that readers in other processes must not see half of.
  func change(_ body: () -> Void) {
    csb_outside_begin_change(changes)
    body()
    csb_outside_end_change(changes)
  }

  /// A row by its number.
  subscript(_ number: Int) -> TimeRow {
    TimeRow(base: base + 16 + (number - 1) * TimeRows.stride)
  }

  /// Describes the rows to readers in other processes.
  func describe() {
    func number(_ name: StaticString, _ place: Int, words: Int = 1) {
      OutsideTable.number("times", name, at: place * 8, size: words * 8)
    }
    number("use", Place.use)
    number("object", Place.object)
    number("kind", Place.kind)
    number("label", Place.label, words: Place.labelWords)
    number("waiting", Place.waiting)
    number("most waiting", Place.mostWaiting)
    number("unmeasured", Place.unmeasured)
    OutsideTable.constant("times layout", "stride", TimeRows.stride)
    OutsideTable.constant("times layout", "waits", Place.waits * 8)
    OutsideTable.constant("times layout", "runs", Place.runs * 8)
    OutsideTable.constant("times layout", "buckets", TimeBuckets.count)
    OutsideTable.constant("times layout", "per octave", TimeBuckets.perOctave)
    OutsideTable.constant("times use", "queue", Use.queue.rawValue)
    OutsideTable.constant("times use", "ended", Use.ended.rawValue)
    OutsideTable.constant("times use", "others", Use.others.rawValue)
    OutsideTable.constant("times kind", "serial", TraceQueueKind.serial.rawValue)
    OutsideTable.constant("times kind", "concurrent", TraceQueueKind.concurrent.rawValue)
    OutsideTable.constant("times kind", "main", TraceQueueKind.main.rawValue)
    OutsideTable.constant("times kind", "global", TraceQueueKind.global.rawValue)
    OutsideTable.constant("times kind", "workloop", TraceQueueKind.workloop.rawValue)
    OutsideTable.root("times changes", UnsafeRawPointer(base), count: 1)
    // Last: a reader that finds the rows finds the words about them.
    OutsideTable.root("times", UnsafeRawPointer(base + 16), count: TimeRows.count)
  }
}

/// A row of `TimeRows`.
struct TimeRow {
  fileprivate let base: UnsafeMutableRawPointer

  private typealias Place = TimeRows.Place

  private func word(_ place: Int) -> UnsafeMutablePointer<Relaxed<UInt64>> {
    // SAFETY: within the row, whose memory begins as zeros and is only used as these.
    (base + place * 8).assumingMemoryBound(to: Relaxed<UInt64>.self)
  }

  var use: TimeRows.Use {
    get { TimeRows.Use(rawValue: word(Place.use).pointee.load()) ?? .none }
    nonmutating set { word(Place.use).pointee.store(newValue.rawValue) }
  }

  /// The address of the queue; 0 in a row of sums.
  var object: UInt64 {
    get { word(Place.object).pointee.load() }
    nonmutating set { word(Place.object).pointee.store(newValue) }
  }

  /// The kind of the queue, or of all queues of a sum.
  var kind: UInt64 {
    get { word(Place.kind).pointee.load() }
    nonmutating set { word(Place.kind).pointee.store(newValue) }
  }

  /// The beginning of the label, cut between two characters.
  var label: TimeLabel {
    get {
      var label = TimeLabel()
      for index in 0..<Place.labelWords {
        label.words[index] = word(Place.label + index).pointee.load()
      }
      return label
    }
    nonmutating set {
      for index in 0..<Place.labelWords {
        word(Place.label + index).pointee.store(newValue.words[index])
      }
    }
  }

  var waits: TimeHistogram { TimeHistogram(base: base + Place.waits * 8) }
  var runs: TimeHistogram { TimeHistogram(base: base + Place.runs * 8) }
  var mostWaiting: UInt64 { word(Place.mostWaiting).pointee.load() }
  var unmeasured: UInt64 { word(Place.unmeasured).pointee.load() }

  // MARK: Events

  /// An item begins to wait.
  func enter() {
    let now = Int64(bitPattern: word(Place.waiting).pointee.add(1)) + 1
    if now > 0 { word(Place.mostWaiting).pointee.raise(to: UInt64(now)) }
  }

  /// An item waits no longer.
  func leave() { _ = word(Place.waiting).pointee.add(.max) }

  func leaveOut() { _ = word(Place.unmeasured).pointee.add(1) }

  func forgetWaiting() { word(Place.waiting).pointee.store(0) }

  // MARK: Ends

  /// Moves the counts to another row.
  func move(to other: TimeRow) {
    waits.move(to: other.waits)
    runs.move(to: other.runs)
    _ = word(Place.waiting).pointee.exchange(0)
    other.word(Place.mostWaiting).pointee.raise(to: word(Place.mostWaiting).pointee.exchange(0))
    _ = other.word(Place.unmeasured).pointee.add(word(Place.unmeasured).pointee.exchange(0))
  }
}

/// The beginning of a label in UTF-8, with zeros at its end.
struct TimeLabel: Equatable {
  var words = InlineArray<8, UInt64>(repeating: 0)

  init() {}

  init(_ text: String) {
    var size = 0
    for character in text.unicodeScalars {
      let bytes = UTF8.encode(character)!
      guard size + bytes.count < TimeRows.Place.labelWords * 8 else { return }
      for byte in bytes {
        words[size / 8] |= UInt64(byte) << UInt64(size % 8 * 8)
        size += 1
      }
    }
  }

  var text: String {
    var bytes: [UInt8] = []
    for index in words.indices {
      for byte in 0..<8 {
        bytes.append(UInt8(truncatingIfNeeded: words[index] >> UInt64(byte * 8)))
      }
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  static func == (a: TimeLabel, b: TimeLabel) -> Bool {
    a.words.indices.allSatisfy { a.words[$0] == b.words[$0] }
  }
}

/// A histogram in a row.
struct TimeHistogram {
  fileprivate let base: UnsafeMutableRawPointer

  private func word(_ place: Int) -> UnsafeMutablePointer<Relaxed<UInt64>> {
    // SAFETY: within the row, see `TimeRow.word`.
    (base + place * 8).assumingMemoryBound(to: Relaxed<UInt64>.self)
  }

  var sum: UInt64 { word(0).pointee.load() }
  var longest: UInt64 { word(1).pointee.load() }
  var buckets: [UInt64] { (0..<TimeBuckets.count).map { word(2 + $0).pointee.load() } }

  func record(_ time: UInt64) {
    _ = word(2 + TimeBuckets.index(of: time)).pointee.add(1)
    _ = word(0).pointee.add(time)
    word(1).pointee.raise(to: time)
  }

  fileprivate func move(to other: TimeHistogram) {
    for place in 2..<TimeRows.Place.histogramWords {
      let count = word(place).pointee.exchange(0)
      if count != 0 { _ = other.word(place).pointee.add(count) }
    }
    _ = other.word(0).pointee.add(word(0).pointee.exchange(0))
    other.word(1).pointee.raise(to: word(1).pointee.exchange(0))
  }
}
