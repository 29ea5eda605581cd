// OutsideTable — adds entries to the table that tells a reader in another process how to read this
// process's memory (CSignalbox/outside.h).
//
// Each list adds the entries of its structures when it is created, before it has a member.

import CSignalbox
package import Synchronization

package enum OutsideTable {
  package static func number(
    _ structure: StaticString, _ name: StaticString, at offset: Int, size: Int
  ) {
    add(structure, name, CSB_OUTSIDE_NUMBER, UInt(offset), size)
  }

  package static func address(_ structure: StaticString, _ name: StaticString, at offset: Int) {
    add(structure, name, CSB_OUTSIDE_ADDRESS, UInt(offset), MemoryLayout<UInt>.size)
  }

  package static func constant(
    _ structure: StaticString, _ name: StaticString, _ value: some BinaryInteger
  ) {
    add(structure, name, CSB_OUTSIDE_CONSTANT, UInt(value), 0)
  }

  package static func root(_ structure: StaticString, _ address: UnsafeRawPointer, count: Int) {
    add(structure, "root", CSB_OUTSIDE_ROOT, UInt(bitPattern: address), count)
  }

  private static func add(
    _ structure: StaticString, _ name: StaticString, _ kind: some BinaryInteger, _ value: UInt,
    _ size: Int
  ) {
    structure.withCString { structure in
      name.withCString { csb_outside_add(structure, $0, UInt32(kind), value, UInt32(size)) }
    }
  }

  // MARK: Structures of the engine

  /// Adds the entries for the parts of a wait.
  static func describeWaits() {
    for reason in WaitReason.allCases { constant("reason", reason.phrase, reason.rawValue) }
    for reason in WaitReason.allCases where reason.isIdle {
      constant("idle", reason.phrase, reason.rawValue)
    }
    constant("release", "nobody", WaitRelease.nobody.rawValue)
    OutsideView.Label.describe()
    OutsideView.Holder.describe()
    ThreadHold.describe()
    ReaderBlock.describe()
    describeQueues()
  }

  /// Adds the entries that waits and lists of queues share: items, tiers, strings. May be called
  /// more than once: a reader treats equal entries as one.
  package static func describeQueues() {
    Item.describe()
    Tier.describe()
    describeStrings()
  }

  /// Adds the entries for a string, if strings have the layout that a reader expects.
  private static func describeStrings() {
    guard StringWords.areAsKnown else { return }
    number("string", "count", at: 0, size: 8)
    number("string", "object", at: 8, size: 8)
    constant("string", "distance", StringWords.distance)
  }
}

extension StaticString {
  /// SAFETY: a static string that has a pointer ends with a zero. A literal of several characters
  /// has one.
  fileprivate func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
    body(UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self))
  }
}

/// The address of a word in memory that does not move.
package func addressOfWord<T>(_ word: borrowing Atomic<T>) -> UnsafeRawPointer {
  withUnsafePointer(to: word) { UnsafeRawPointer($0) }
}

/// The address of a word in memory that does not move.
package func addressOfWord<T>(_ value: borrowing SingleWriter<T>) -> UnsafeRawPointer {
  addressOfWord(value.word)
}

/// The address of a word in memory that does not move.
package func addressOfWord<T>(_ value: borrowing Relaxed<T>) -> UnsafeRawPointer {
  addressOfWord(value.word)
}
