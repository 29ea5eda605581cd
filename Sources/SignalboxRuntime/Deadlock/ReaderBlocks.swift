// ReaderBlocks — all threads' slots, for writers that look who reads.
//
// A list that only grows: a block is never freed, and goes from a thread that ends to
// one that begins to read. So there are as many as threads have read at the same time,
// and anyone may walk the list at any moment.
//
// Touching    the list: any thread, atomically. `ReaderBlock.owner`: taken by whoever
//             finds it 0, given back by its thread.
// Ordering    RB1  a new block's compare-and-swap into the list → a writer's load of the
//                  list's first: as RG1, for a reader that has just come by a block.
//             RB2  a block given back (releasing) → taken again (acquiring): what else
//                  is in it.
// Rejected    blocks that are freed: writers would need to keep them alive, by a lock
//             or a count that all of them write to.

import CSignalbox
import Synchronization

package enum ReaderBlocks {
  // SAFETY: atomic; blocks are never freed.
  nonisolated(unsafe) static let first = Atomic<ReaderBlockPointer?>(nil)

  /// Two lines of the cache: the slots have one to themselves, and the processor
  /// fetches lines in pairs.
  private static var blockSize: Int { 128 }

  // MARK: A thread's own

  /// An empty slot of the calling thread.
  package static func freeSlot() -> ReaderSlot {
    var last: ReaderBlockPointer?
    var next = ReaderSlot.firstBlock
    while let block = next {
      for index in 0..<ReaderBlock.size {
        // order: relaxed; only this thread fills and empties it.
        if block.pointee.slots[index].load(ordering: .relaxed) == 0 {
          return ReaderSlot(block, index)
        }
      }
      last = block
      next = block.pointee.further
    }
    let block = take(csb_thread_number())
    if let last {
      last.pointee.setFurther(block)
    } else {
      ThreadEnd.arrange()
      csb_thread_self().pointee.reader_blocks = UnsafeMutableRawPointer(block)
    }
    return ReaderSlot(block, 0)
  }

  private static func take(_ thread: UInt32) -> ReaderBlockPointer {
    var next = first.load(ordering: .acquiring)  // order: acquiring, RB1
    while let block = next {
      let (taken, _) = block.pointee.owner.compareExchange(
        expected: 0, desired: thread,
        successOrdering: .acquiring,  // order: acquiring, RB2
        failureOrdering: .relaxed)
      if taken { return block }
      next = block.pointee.following
    }
    return make(thread)
  }

  private static func make(_ thread: UInt32) -> ReaderBlockPointer {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: blockSize, alignment: blockSize)
    let block = raw.bindMemory(to: ReaderBlock.self, capacity: 1)
    block.initialize(to: ReaderBlock(owner: thread))
    // order: relaxed; the compare-and-swap decides.
    var old = first.load(ordering: .relaxed)
    while true {
      block.pointee.following = old
      let (exchanged, original) = first.compareExchange(
        expected: old, desired: block,
        ordering: .sequentiallyConsistent)  // order: sequentially consistent, RB1
      if exchanged { return block }
      old = original
    }
  }

  /// At the end of the calling thread. What it still reads under stays held for ever:
  /// that is said, and the block is not used again.
  static func giveBackAll() {
    guard let first = ReaderSlot.firstBlock else { return }
    var isEmpty = true
    var next: ReaderBlockPointer? = first
    while let block = next {
      if !block.pointee.isEmpty { isEmpty = false }
      next = block.pointee.further
    }
    guard isEmpty else {
      return complain(
        "\(ThreadName.of(csb_thread_number())) ends while it holds a lock for reading: threads "
          + "that want to write wait for ever. Unlock on the thread that locked.")
    }
    csb_thread_self().pointee.reader_blocks = nil
    next = first
    while let block = next {
      next = block.pointee.further
      block.pointee.setFurther(nil)
      block.pointee.owner.store(0, ordering: .releasing)  // order: releasing, RB2
    }
  }

  // MARK: For writers

  /// Calls `body` with every block until it returns true.
  private static func any(_ body: (ReaderBlockPointer) -> Bool) -> Bool {
    // order: sequentially consistent, RB1
    var next = first.load(ordering: .sequentiallyConsistent)
    while let block = next {
      if body(block) { return true }
      next = block.pointee.following
    }
    return false
  }

  /// A thread that reads under `lock`, or is about to look whether it may; 0 if there
  /// is none. Looks at every block: for the writer, and for messages.
  package static func reader(of lock: UInt) -> UInt32 {
    var owner: UInt32 = 0
    _ = any { block in
      for index in 0..<ReaderBlock.size {
        // order: sequentially consistent, RG1, RG3 and SH1
        let slot = block.pointee.slots[index].load(ordering: .sequentiallyConsistent)
        if slot == lock || slot == lock | ReaderBlock.Stage.entering {
          // A thread that has given its block back since has left the lock before; others
          // may read still.
          // order: acquiring, RB2
          owner = block.pointee.owner.load(ordering: .acquiring)
          if owner != 0 { return true }
        }
      }
      return false
    }
    return owner
  }

  /// Lets all in that wait to read under `lock`, on behalf of the writer that leaves it.
  package static func grant(_ lock: UInt) {
    let waiting = lock | ReaderBlock.Stage.waiting
    _ = any { block in
      for index in 0..<ReaderBlock.size {
        // order: relaxed; the compare-and-swap decides.
        guard block.pointee.slots[index].load(ordering: .relaxed) == waiting else { continue }
        _ = block.pointee.slots[index].compareExchange(
          expected: waiting, desired: lock,
          successOrdering: .releasing,  // order: releasing, SH2
          failureOrdering: .relaxed)
      }
      return false
    }
  }

  /// Whether the thread of this number waits to read under `lock` and has not been
  /// let in.
  package static func isWaiting(_ thread: UInt32, toReadUnder lock: UInt) -> Bool {
    any { block in
      // order: relaxed; a thread's own blocks stay its own while it waits.
      guard block.pointee.owner.load(ordering: .relaxed) == thread else { return false }
      for index in 0..<ReaderBlock.size {
        // order: relaxed; the next pass of a search comes after a look at the record of
        // the writer who lets it in, and so finds what this one misses.
        let slot = block.pointee.slots[index].load(ordering: .relaxed)
        if slot == lock | ReaderBlock.Stage.waiting { return true }
      }
      return false
    }
  }

  // MARK: Forks

  /// Before a fork: has made what the child needs.
  static func rehearse() { _ = any { _ in false } }

  /// In a forked child: what the threads that stayed behind were about to do is not
  /// done. What they read under stays held, and who wants to write is told.
  static func forgetLostThreads() {
    _ = any { block in
      // order: relaxed; no other thread is there.
      let owner = block.pointee.owner.load(ordering: .relaxed)
      guard owner != 0, Fork.hasLost(owner) else { return false }
      for index in 0..<ReaderBlock.size {
        // order: relaxed; as above.
        let slot = block.pointee.slots[index].load(ordering: .relaxed)
        if slot & ReaderBlock.Stage.mask != ReaderBlock.Stage.held {
          block.pointee.slots[index].store(0, ordering: .relaxed)  // order: relaxed; as above.
        }
      }
      if block.pointee.isEmpty {
        block.pointee.setFurther(nil)
        block.pointee.owner.store(0, ordering: .relaxed)  // order: relaxed; as above.
      }
      return false
    }
  }
}

extension ReaderBlock {
  fileprivate var isEmpty: Bool {
    for index in 0..<ReaderBlock.size {
      // order: relaxed; for its own thread, or the only one.
      if slots[index].load(ordering: .relaxed) != 0 { return false }
    }
    return true
  }
}
