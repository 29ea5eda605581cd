// ReaderBlocks — the slots of all threads, in which writers look for readers.
//
// The blocks form a list that only grows. A block is never freed; it passes from a thread that
// ends to one that begins to read. So the number of blocks is usually the largest number of living
// threads that had read, and any thread may walk the list at any moment.
//
// Touching    the list: any thread, atomically. `ReaderBlock.owner`: taken by a thread
//             that finds it 0, given back by the same thread.
// Ordering    RB1  a new block's compare-and-swap into the list → a writer's load of the
//                  first block: like RG1, for a reader that has just got a block.
//             RB2  a block given back (releasing) → taken again (acquiring): the new owner
//                  sees the rest of the block's contents.
// Rejected    blocks that are freed: writers would have to keep them alive, by a lock or a
//             count that they all write to.

import CSignalbox
import Synchronization

package enum ReaderBlocks {
  // SAFETY: atomic; blocks are never freed.
  nonisolated(unsafe) static let first = Atomic<ReaderBlockPointer?>(nil)

  /// Two cache lines: the slots have one to themselves, and the processor fetches lines
  /// in pairs.
  private static var blockSize: Int { 128 }

  // MARK: The thread's own

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

  /// Gives back the blocks of the calling thread at its end. A lock that the thread still
  /// holds for reading stays held forever. That is reported, and the blocks are not used
  /// again.
  static func giveBackAll() {
    guard let first = ReaderSlot.firstBlock else { return }
    var isEmpty = true
    var next: ReaderBlockPointer? = first
    while let block = next {
      if !block.pointee.isEmpty { isEmpty = false }
      next = block.pointee.further
    }
    guard isEmpty else {
      return warn(
        "\(ThreadName.of(csb_thread_number())) ends while it holds a lock for reading: threads "
          + "that want to write wait forever. Unlock on the thread that locked.")
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
    var next = first.load(ordering: .acquiring)  // order: acquiring, RB1
    while let block = next {
      if body(block) { return true }
      next = block.pointee.following
    }
    return false
  }

  /// The first slot after `previous` that states that its thread reads under `lock`, or is about
  /// to check whether it may. Looks at every block after that of `previous`.
  package static func slot(reading lock: UInt, after previous: ReaderSlot? = nil) -> ReaderSlot? {
    var index = previous.map { $0.index + 1 } ?? 0
    // order: sequentially consistent, RB1
    var next = previous?.block ?? first.load(ordering: .sequentiallyConsistent)
    while let block = next {
      while index < ReaderBlock.size {
        let slot = ReaderSlot(block, index)
        if slot.isReading(lock) { return slot }
        index += 1
      }
      index = 0
      next = block.pointee.following
    }
    return nil
  }

  /// A thread that reads under `lock`, or is about to check whether it may; 0 if there is
  /// none.
  package static func reader(of lock: UInt) -> UInt32 {
    var next = slot(reading: lock)
    while let slot = next {
      // The number is 0 if the thread has since left the lock and given its block back. Other
      // threads may still read.
      let thread = slot.thread
      if thread != 0 { return thread }
      next = self.slot(reading: lock, after: slot)
    }
    return 0
  }

  /// Admits all threads that wait to read under `lock`. The writer that leaves the lock
  /// calls this.
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

  /// Whether the thread with this number waits to read under `lock` and has not been
  /// admitted.
  package static func isWaiting(_ thread: UInt32, toReadUnder lock: UInt) -> Bool {
    any { block in
      // order: relaxed; a thread keeps its blocks while it waits.
      guard block.pointee.owner.load(ordering: .relaxed) == thread else { return false }
      for index in 0..<ReaderBlock.size {
        // order: relaxed; the next pass of a search comes after a look at the record of the
        // writer that admits the thread, and so finds what this pass misses.
        let slot = block.pointee.slots[index].load(ordering: .relaxed)
        if slot == lock | ReaderBlock.Stage.waiting { return true }
      }
      return false
    }
  }

  // MARK: Forks

  /// Called before a fork: initializes what the child needs.
  static func rehearse() { _ = any { _ in false } }

  /// In a forked child: clears the slots of lost threads that waited for a lock or had not yet
  /// taken it. Locks that they held for reading stay held, and threads that want to write get a
  /// report.
  static func forgetLostThreads() {
    _ = any { block in
      // order: relaxed; no other thread exists.
      let owner = block.pointee.owner.load(ordering: .relaxed)
      guard owner != 0, Fork.hasLost(owner) else { return false }
      for index in 0..<ReaderBlock.size {
        // order: relaxed; no other thread exists.
        let slot = block.pointee.slots[index].load(ordering: .relaxed)
        if slot & ReaderBlock.Stage.mask != ReaderBlock.Stage.held {
          block.pointee.slots[index].store(0, ordering: .relaxed)  // order: relaxed; no others.
        }
      }
      if block.pointee.isEmpty {
        block.pointee.setFurther(nil)
        block.pointee.owner.store(0, ordering: .relaxed)  // order: relaxed; no others.
      }
      return false
    }
  }
}

extension ReaderBlock {
  fileprivate var isEmpty: Bool {
    for index in 0..<ReaderBlock.size {
      // order: relaxed; the caller is its thread, or the only thread.
      if slots[index].load(ordering: .relaxed) != 0 { return false }
    }
    return true
  }
}
