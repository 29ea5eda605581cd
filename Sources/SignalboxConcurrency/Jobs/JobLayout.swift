// JobLayout — checks whether a job's record has the layout that `PoolJob` expects.

import SignalboxRuntime

struct JobLayout {
  /// The offset of the two words that belong to a job's scheduler.
  static var privateOffset: Int { Item.offsetInJob }
  /// The offset of the job's kind and priority, one byte each.
  static let wordOffset = 32

  /// Written during adoption. A job works with either value.
  private static let known = SingleWriter(false)

  /// Set once, by adoption; an earlier job gets a node.
  @inline(__always)
  static var isKnown: Bool { known.load() }

  /// Whether a job has its scheduler's words, its kind and its priority at the expected offsets.
  static func fits(
    _ job: UnownedJob, schedulersWords: UnsafeMutableRawBufferPointer, kind: UInt8, priority: UInt8
  ) -> Bool {
    guard schedulersWords.count >= 16, schedulersWords.baseAddress == job.address + privateOffset
    else { return false }
    let word = job.address.load(fromByteOffset: wordOffset, as: UInt32.self)
    return UInt8(truncatingIfNeeded: word) == kind
      && UInt8(truncatingIfNeeded: word >> 8) == priority
  }

  /// Makes jobs items in their own memory from now on, and tells readers in other processes how to
  /// recognize such items. Called once.
  static func noteKnown() {
    // SAFETY: the address of a function, compared only.
    OutsideTable.constant(
      "job", "in place", unsafeBitCast(PoolJob.runInPlace, to: UInt.self))
    known.store(true)
  }
}
