// ListLook — counts the items in a list that another thread drains, for a report.
//
// The list's owner continues during the count: it may remove, run and free an item that is
// being read, and even free the list. So this code touches none of it. The kernel copies each
// word, as it would for a debugger, and reports if nothing is at the address any more. A
// count is valid only if the list has the same first item afterwards.
//
// Touching    nothing: the kernel reads.
// Invariants  I1  items are appended at the end and removed at the front. If the first
//                 item is the same before and after the count, none was removed in between,
//                 and the walk saw the list. The exceptions: the item was removed and freed
//                 and its memory became the first item again, or the list was freed and its
//                 memory reused. Then the number is wrong, which does no harm.
// Rejected    a count in each list: one more atomic operation for every item.
//             Owning the queue during the count: no thread could drain it in the meantime,
//             and a queue with another owner cannot be owned.
//             Plain reads: the memory of an item may have been returned to the system.

import CSignalbox

/// The number of items in a list.
package enum ListDepth: Sendable, Equatable {
  case exactly(Int)
  /// The list is longer than the limit of the count.
  case atLeast(Int)
  /// The list changes too fast, or the system refuses the read.
  case unknown
}

package enum ListLook {
  /// Maximum attempts: a list that is drained fast changes during each count.
  private static let tries = 3

  /// The depth of the list at this address.
  ///
  /// - Parameter budget: the maximum number of items to read. Each one that is read
  ///   costs a few hundred nanoseconds, and is subtracted.
  package static func depth(ofListAt address: UInt, _ budget: inout Int) -> ListDepth {
    // `head` is the first word of a list, and `next` that of an item.
    for _ in 0..<tries {
      guard let first = word(at: address) else { return .unknown }
      guard let found = walk(from: first, &budget) else { continue }
      if word(at: address) == first { return found }
    }
    return .unknown
  }

  private static func walk(from first: UInt, _ budget: inout Int) -> ListDepth? {
    var (item, count) = (first, 0)
    while item != 0 {
      count += 1
      guard budget > 0 else { return .atLeast(count) }
      budget -= 1
      guard let next = word(at: item) else { return nil }
      item = next
    }
    return .exactly(count)
  }

  private static func word(at address: UInt) -> UInt? {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    var word: UInt = 0
    return csb_look_at_memory(pointer, &word, MemoryLayout<UInt>.size) == 0 ? word : nil
  }
}
