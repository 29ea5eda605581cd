// SubmissionTimes — when each waiting item was submitted, by its address, in memory of a fixed
// size.
//
// An item has no room for its time, because it may be a part of a record of the Swift runtime. So
// its time is in a table. Each address maps to a group of places, as large as a cache line. If all
// places of the group are taken, the item is not measured.
//
// Touching    a place: the thread that submits the item, and then the thread that starts it.
// Ordering    SB1  the releasing store that frees a place → the acquiring compare-and-swap that takes it: the
//                  next stamp is written after the one before was read. The queue's list (IL1,
//                  IL2) hands an item, and its stamp with it, from the thread that submits the
//                  item to the thread that starts it.
// Rejected    an order of submissions for each queue: producers that append at the same time have
//             no order until they have appended.
//             a table that grows: it would allocate within a submission.

import CSignalbox
import SignalboxRuntime
import Synchronization

struct SubmissionTimes: @unchecked Sendable {  // SAFETY: see Touching.
  private struct Place: ~Copyable {
    /// The address of the item; 0 if the place is free.
    let item = Atomic<UInt>(0)
    /// Written by the thread that has just taken the place, read by the one that frees it.
    let stamp = Relaxed<UInt64>(0)
  }

  /// A power of two.
  static let groupSize = 4
  private static let groupBits: UInt64 = 15
  /// How many items can wait with a time.
  static var count: Int { groupSize << Int(groupBits) }

  private let places: UnsafeMutablePointer<Place>

  /// nil if the system refuses the memory.
  init?() {
    var memory: UnsafeMutableRawPointer?
    let size = SubmissionTimes.count * MemoryLayout<Place>.stride
    guard csb_memory_map(size, &memory) == 0, let memory else { return nil }
    // SAFETY: zeros are places that are free.
    places = memory.assumingMemoryBound(to: Place.self)
  }

  /// Items are some dozens of bytes apart, so a multiplication mixes their addresses.
  private func group(of item: UInt) -> UnsafeMutablePointer<Place> {
    let mixed = UInt64(item >> 3) &* 0x9E37_79B9_7F4A_7C15
    return places + Int(mixed >> (64 - SubmissionTimes.groupBits)) * SubmissionTimes.groupSize
  }

  /// - Returns: whether there was room.
  func insert(_ item: UInt, _ stamp: UInt64) -> Bool {
    let group = group(of: item)
    // Replaces the stamp of an earlier item at this address that began unnoticed.
    for index in 0..<SubmissionTimes.groupSize
    // order: relaxed; this thread has the item.
    where group[index].item.load(ordering: .relaxed) == item {
      group[index].stamp.store(stamp)
      return true
    }
    for index in 0..<SubmissionTimes.groupSize {
      let (isTaken, _) = group[index].item.compareExchange(
        expected: 0, desired: item,
        successOrdering: .acquiring,  // order: acquiring, SB1
        failureOrdering: .relaxed)
      if isTaken {
        group[index].stamp.store(stamp)
        return true
      }
    }
    return false
  }

  /// Takes out the stamp of an item; nil if it has none.
  func take(_ item: UInt) -> UInt64? {
    let group = group(of: item)
    for index in 0..<SubmissionTimes.groupSize
    // order: relaxed; this thread has the item.
    where group[index].item.load(ordering: .relaxed) == item {
      let stamp = group[index].stamp.load()
      group[index].item.store(0, ordering: .releasing)  // order: releasing, SB1
      return stamp
    }
    return nil
  }

  /// Forgets all items. Those that are submitted at the same time may stay without a time.
  func forgetAll() {
    for index in 0..<SubmissionTimes.count
    // order: relaxed; only a hint, which avoids writes to pages that were never used.
    where places[index].item.load(ordering: .relaxed) != 0 {
      places[index].item.store(0, ordering: .releasing)  // order: releasing, SB1
    }
  }
}
