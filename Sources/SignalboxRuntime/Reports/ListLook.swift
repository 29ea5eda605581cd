// ListLook — how many items stand in a list that belongs to somebody else, for a report.
//
// The list's owner goes on meanwhile: what is looked at may be taken out, run and freed
// under the looker's eyes, and the list with it. So nothing of it is touched. The kernel
// copies each word, as it would for a debugger, and says if there is nothing at its address
// any more; and what was seen counts only if the list has the same first item afterwards.
//
// Touching    nothing: the kernel reads.
// Invariants  I1  an item is appended at the end and taken out at the front. If the first
//                 item is the same before and after the look, none was taken out in between,
//                 and what was walked was the list; unless the item was taken out, freed, and
//                 its memory became the first item again, or the list was freed and its
//                 memory something else's. Then the number is wrong, and no harm is done.
// Rejected    a count in each list: an atomic operation more for every item.
//             To take the queue for the length of the look: nobody could serve it meanwhile,
//             and one that is held by another cannot be taken.
//             Plain reads: the memory of an item may have gone back to the system.

import CSignalbox
import Synchronization

/// How many items stand in a list.
package enum ListDepth: Sendable, Equatable {
  case exactly(Int)
  /// More than it was worth to count.
  case atLeast(Int)
  /// They come and go too fast, or the system refuses the look.
  case unknown
}

package enum ListLook {
  /// Looks at a list before it is given up: one that is served fast changes under each.
  private static let tries = 3

  /// The depth of the list at this address.
  ///
  /// - Parameter budget: how many items to look at, at most. What was looked at is taken from
  ///   it: a few hundred nanoseconds each.
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
    guard let place = UnsafeRawPointer(bitPattern: address) else { return nil }
    var word: UInt = 0
    return csb_look_at_memory(place, &word, MemoryLayout<UInt>.size) == 0 ? word : nil
  }
}

extension ItemList {
  /// Where it stands: for `ListLook`.
  package borrowing func address() -> UInt { addressOf(head) }
}

private func addressOf(_ head: borrowing Atomic<ItemPointer?>) -> UInt {
  withUnsafePointer(to: head) { UInt(bitPattern: $0) }
}
