// ListLook — counts the items in lists that another thread drains, for a report.
//
// The lists' owner continues during the count: it may remove, run and free an item that is
// being read, move it to another list, and even free a list. So this code touches none of them.
// The kernel copies each word, as it would for a debugger, and reports if nothing is at the
// address any more. A count is valid only if nothing was removed in the meantime.
//
// Touching    nothing: the kernel reads.
// Ordering    none: the owner's stores are relaxed. Where stores may become visible out of order, a
//             count may be seen before its removal, and the number may then be wrong.
// Invariants  I1  items are appended at the end and removed at the front, and the owner counts each
//                 one in the first list's `OwnerCounts` after it has removed it, and before the
//                 item can be used again. So if the counts and the first items are the same before
//                 and after the walk, none was removed that was there at the beginning, and the
//                 walk saw each of those once. Of items that arrived during the walk, it may have
//                 seen some. The exception: a list was freed and its memory reused. Then the number
//                 may be that of another list. A report compares the queue's label again after the
//                 count, so for a report the exception remains only if a queue of the same label is
//                 at that address by then. For the metrics it remains. It does no other harm.
//             I2  the counts are read first and last. An item in the owner's hands, removed and not
//                 counted yet, has been neither run nor woken, so it cannot become the first item
//                 again.
// Rejected    a count in each list: one more atomic operation for every item.
//             Owning the queue during the count: no thread could drain it in the meantime,
//             and a queue with another owner cannot be owned.
//             Plain reads: the memory of an item may have been returned to the system.
//             Comparing only the first items: an item that was removed becomes the first one again
//             when its memory is reused. The walk may then have followed it into another list.

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

  /// How many items the lists at these addresses hold together. An item that the owner is moving
  /// from one to another is in none.
  ///
  /// - Parameters:
  ///   - addresses: the lists of one owner, who counts in the first one what it takes out of any.
  ///   - budget: the maximum number of items to read. Each one that is read
  ///     costs a few hundred nanoseconds, and is subtracted.
  package static func depth(ofListsAt addresses: [UInt], _ budget: inout Int) -> ListDepth {
    for _ in 0..<tries {
      guard let counts = counts(ofListAt: addresses[0]), let firsts = firsts(addresses) else {
        return .unknown
      }
      // One word is read at one moment. Several are compared below.
      if firsts == [0] { return .exactly(0) }
      guard let depth = walk(from: firsts, &budget) else { continue }
      let isUnchanged = self.firsts(addresses) == firsts
      if isUnchanged, self.counts(ofListAt: addresses[0]) == counts { return depth }
    }
    return .unknown
  }

  private static func walk(from firsts: [UInt], _ budget: inout Int) -> ListDepth? {
    var count = 0
    for first in firsts {
      var item = first
      while item != 0 {
        count += 1
        guard budget > 0 else { return .atLeast(count) }
        budget -= 1
        // `next` is the first word of an item.
        guard let next = word(at: item) else { return nil }
        item = next
      }
    }
    return .exactly(count)
  }

  /// The first item of each list: `head` is the first word of a list.
  private static func firsts(_ addresses: [UInt]) -> [UInt]? {
    let firsts = addresses.compactMap(word)
    return firsts.count == addresses.count ? firsts : nil
  }

  /// The words of `OwnerCounts`, which follow `head`.
  private struct Counts: Equatable {
    var words: (runs: UInt64, turns: UInt64, waits: UInt64) = (0, 0, 0)

    static func == (a: Counts, b: Counts) -> Bool { a.words == b.words }
  }

  private static func counts(ofListAt address: UInt) -> Counts? {
    var counts = Counts()
    return copy(address &+ UInt(MemoryLayout<UInt>.size), to: &counts) ? counts : nil
  }

  private static func word(at address: UInt) -> UInt? {
    var word: UInt = 0
    return copy(address, to: &word) ? word : nil
  }

  private static func copy<Value: BitwiseCopyable>(_ address: UInt, to value: inout Value) -> Bool {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return false }
    return csb_look_at_memory(pointer, &value, MemoryLayout<Value>.size) == 0
  }
}
