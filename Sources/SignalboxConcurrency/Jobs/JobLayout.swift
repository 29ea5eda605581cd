// JobLayout — whether a job's record is laid out as `PoolJob` has it.

import Synchronization

struct JobLayout {
  /// Where the two words are that belong to a job's scheduler.
  static let privateOffset = 16
  /// Where its kind and its priority are, a byte each.
  static let wordOffset = 32

  private static let known = Atomic<Bool>(false)

  /// Set once, by adoption; a job that comes earlier gets a node.
  @inline(__always)
  static var isKnown: Bool {
    known.load(ordering: .relaxed)  // order: relaxed; either answer is right for a job.
  }

  /// Whether a job has its scheduler's two words, its kind and its priority where we look.
  static func fits(
    _ job: UnownedJob, schedulersWords: UnsafeMutableRawBufferPointer, kind: UInt8, priority: UInt8
  ) -> Bool {
    guard schedulersWords.count >= 16, schedulersWords.baseAddress == job.address + privateOffset
    else { return false }
    let word = job.address.load(fromByteOffset: wordOffset, as: UInt32.self)
    return UInt8(truncatingIfNeeded: word) == kind
      && UInt8(truncatingIfNeeded: word >> 8) == priority
  }

  static func noteKnown() {
    known.store(true, ordering: .relaxed)  // order: relaxed; as above.
  }
}
