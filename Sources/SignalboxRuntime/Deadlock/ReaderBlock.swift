// ReaderBlock — the slots in which one thread states what it holds for reading.
//
// A slot is a reader's claim, which writers look for, and also the hold record that searches
// for deadlocks read. Each thread has its own slots, so two readers of a lock never write to
// the same cache line. A thread that holds more locks than one block has slots takes another
// block.
//
// bits of a slot  name    set to
// 0–1             stage   held, entering or waiting: see `Stage`
// 2–              lock    the address of a lock
//
// An empty slot is 0.
//
// Touching    `slots`: written by the block's thread; the lock's writer also changes
//             `waiting` to `held`. Read by any thread.
//             `depths`, `further`: the block's thread; other threads while it waits, under
//             its record's lock. `lastWait`: the block's thread. `owner`: see `ReaderBlocks`.
//             `following`: written before the block enters the list.
// Ordering    SH1  every store to a slot (releasing at least) → a writer's look at it
//                  (sequentially consistent): what was read under the lock was read before the
//                  writer writes, even if the slot has been reused since.
//             SH2  the writer's change of `waiting` to `held` (releasing) → the
//                  reader's look (acquiring): it sees what was written.
// Invariants  I1  only the block's thread fills or empties a slot.
//             I2  `entering` ⇒ its thread is awake, and decides within a few instructions.
// Sources     D. Dice, A. Kogan, "BRAVO — Biased Locking for Reader-Writer Locks"
//             (USENIX ATC 2019): readers show themselves in a table. Their table is
//             hashed, one for all threads. Here each thread has a line of its own, so
//             none collide, and a writer reads as many lines as there are reading
//             threads.

public import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct ReaderBlock: ~Copyable {
  /// The slots fill a cache line together with the fields up to `following`.
  @inlinable static var size: Int { 6 }

  @usableFromInline let slots: InlineArray<6, Atomic<UInt>>
  /// The number of the thread that has the block; 0 if no thread has it.
  let owner: Atomic<UInt32>
  /// The next block in the list of all blocks.
  var following: ReaderBlockPointer?

  // These are atomic because ThreadSanitizer takes a change of a plain field for a change of the
  // first slot, while writers look at the slots.

  /// How many times the thread took each lock again while it held it.
  @usableFromInline let depths: InlineArray<6, Atomic<UInt>>
  /// See `further`. Its thread writes it; another reads it only while that thread waits.
  private let furtherBlock = SingleWriter<ReaderBlockPointer?>(nil)
  /// See `ReaderSlot.lastWait`. Only the block's thread uses it.
  let lastWait = SingleWriter<UInt64>(0)

  init(owner: UInt32) {
    slots = InlineArray { _ in Atomic(0) }
    self.owner = Atomic(owner)
    depths = InlineArray { _ in Atomic(0) }
  }

  /// The thread's next block, which it took when this one was full.
  var further: ReaderBlockPointer? { furtherBlock.load() }

  /// Only the block's thread calls this.
  func setFurther(_ block: ReaderBlockPointer?) { furtherBlock.store(block) }

  /// The state of a slot's lock.
  @usableFromInline package enum Stage {
    /// The thread reads under the lock.
    @inlinable package static var held: UInt { 0 }
    /// The thread is about to check whether it may read. Counts as held.
    @inlinable package static var entering: UInt { 1 }
    /// The thread sleeps until a writer leaves, or is about to sleep. It holds up no thread.
    @inlinable package static var waiting: UInt { 2 }
    @inlinable static var mask: UInt { 3 }
  }
}

extension ReaderBlock {
  /// Describes the structure to readers in other processes.
  static func describe() {
    // SAFETY: the memory is never read; only distances in it are taken.
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<ReaderBlock>.size, alignment: MemoryLayout<ReaderBlock>.alignment)
    defer { raw.deallocate() }
    let block = raw.assumingMemoryBound(to: ReaderBlock.self)
    OutsideTable.number(
      "readers", "slots", at: addressOfWord(block.pointee.slots[0]) - UnsafeRawPointer(raw),
      size: MemoryLayout<UInt>.stride * size)
    OutsideTable.address(
      "readers", "further", at: addressOfWord(block.pointee.furtherBlock) - UnsafeRawPointer(raw))
    OutsideTable.constant("readers", "waiting", Stage.waiting)
  }
}

@usableFromInline
package typealias ReaderBlockPointer = UnsafeMutablePointer<ReaderBlock>

/// One slot of the calling thread.
@frozen @usableFromInline
package struct ReaderSlot {
  @usableFromInline let block: ReaderBlockPointer
  @usableFromInline let index: Int

  @inlinable @inline(__always)
  init(_ block: ReaderBlockPointer, _ index: Int) {
    self.block = block
    self.index = index
  }

  /// The thread's first block.
  @inlinable @inline(__always)
  static var firstBlock: ReaderBlockPointer? {
    // SAFETY: only `ReaderBlocks` sets it.
    csb_thread_self().pointee.reader_blocks?.assumingMemoryBound(to: ReaderBlock.self)
  }

  /// An empty slot of the thread's first block, if any.
  @inlinable @inline(__always)
  package static var free: ReaderSlot? {
    guard let block = firstBlock else { return nil }
    for index in 0..<ReaderBlock.size {
      // order: relaxed; only this thread fills and empties it.
      if block.pointee.slots[index].load(ordering: .relaxed) == 0 {
        return ReaderSlot(block, index)
      }
    }
    return nil
  }

  /// The slot in the thread's first block that states that the thread reads under `lock`.
  @inlinable @inline(__always)
  package static func heldAtHand(_ lock: UInt) -> ReaderSlot? {
    guard let block = firstBlock else { return nil }
    for index in 0..<ReaderBlock.size {
      // order: relaxed; this thread wrote it, or has seen that it was admitted.
      if block.pointee.slots[index].load(ordering: .relaxed) == lock {
        return ReaderSlot(block, index)
      }
    }
    return nil
  }

  /// A slot that states that the calling thread reads under `lock`.
  package static func held(_ lock: UInt) -> ReaderSlot? {
    held(lock, from: csb_thread_self().pointee.reader_blocks)
  }

  /// The same for the thread that has `first` as its first block.
  static func held(_ lock: UInt, from first: UnsafeMutableRawPointer?) -> ReaderSlot? {
    // SAFETY: only `ReaderBlocks` sets it.
    var next = first?.assumingMemoryBound(to: ReaderBlock.self)
    while let block = next {
      for index in 0..<ReaderBlock.size {
        // order: relaxed; the blocks are those of this thread, or of one that is waiting.
        if block.pointee.slots[index].load(ordering: .relaxed) == lock {
          return ReaderSlot(block, index)
        }
      }
      next = block.pointee.further
    }
    return nil
  }

  // MARK: Steps

  /// Changes the slot from empty to `entering`. The caller checks the word of `lock`
  /// next.
  @inlinable @inline(__always)
  package func enter(_ lock: UInt) {
    block.pointee.slots[index].store(
      lock | ReaderBlock.Stage.entering,
      ordering: .sequentiallyConsistent)  // order: sequentially consistent, RG1 and SH1
  }

  /// Changes the slot from `entering` to `held`.
  @inlinable @inline(__always)
  package func hold(_ lock: UInt) {
    block.pointee.slots[index].store(lock, ordering: .releasing)  // order: releasing, SH1
  }

  /// Changes the slot from `held` or `entering` to empty. The caller checks next whether
  /// a writer sleeps.
  @inlinable @inline(__always)
  package func leave() {
    block.pointee.slots[index].store(
      0, ordering: .sequentiallyConsistent)  // order: sequentially consistent, RG3 and SH1
  }

  /// Changes the slot from empty to `waiting`.
  package func wait(_ lock: UInt) {
    // order: releasing, SH1
    block.pointee.slots[index].store(lock | ReaderBlock.Stage.waiting, ordering: .releasing)
  }

  /// Changes the slot from `waiting` to `entering`, unless it is `held` now.
  ///
  /// - Returns: whether it is `held`.
  package func enterAgain(_ lock: UInt) -> Bool {
    // order: sequentially consistent, RG1; acquiring if it is held, SH2
    !block.pointee.slots[index].compareExchange(
      expected: lock | ReaderBlock.Stage.waiting, desired: lock | ReaderBlock.Stage.entering,
      successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring
    ).exchanged
  }

  /// Changes the slot from `waiting` to empty, unless it is `held` now.
  ///
  /// - Returns: whether it is `held`.
  package func giveUp(_ lock: UInt) -> Bool {
    !block.pointee.slots[index].compareExchange(
      expected: lock | ReaderBlock.Stage.waiting, desired: 0,
      successOrdering: .relaxed,
      failureOrdering: .acquiring  // order: acquiring, SH2
    ).exchanged
  }

  /// Whether the slot states that its thread reads under `lock`, or is about to check whether it
  /// may. The writer calls this.
  package func isReading(_ lock: UInt) -> Bool {
    // order: sequentially consistent, RG1, RG3 and SH1
    let slot = block.pointee.slots[index].load(ordering: .sequentiallyConsistent)
    return slot == lock || slot == lock | ReaderBlock.Stage.entering
  }

  /// The number of the thread that has the slot; 0 if it has ended.
  package var thread: UInt32 {
    block.pointee.owner.load(ordering: .acquiring)  // order: acquiring, RB2
  }

  /// Whether the writer has changed `waiting` to `held`.
  package func isGranted(_ lock: UInt) -> Bool {
    // order: acquiring, SH2
    block.pointee.slots[index].load(ordering: .acquiring) == lock
  }

  /// When the thread last waited for a writer of any lock, on the uptime clock; 0 if never.
  package var lastWait: UInt64 {
    get { block.pointee.lastWait.load() }
    nonmutating set { block.pointee.lastWait.store(newValue) }
  }

  /// Whether no other slot of the thread's block is filled.
  package var isTheOnlyOne: Bool {
    for other in 0..<ReaderBlock.size where other != index {
      // order: relaxed; only this thread fills and empties it.
      if block.pointee.slots[other].load(ordering: .relaxed) != 0 { return false }
    }
    return true
  }

  // MARK: Taken again

  /// How many times the thread still holds the lock in addition to the first time.
  @inlinable @inline(__always)
  package var depth: UInt {
    get {
      block.pointee.depths[index].load(ordering: .relaxed)  // order: relaxed; its thread's own.
    }
    nonmutating set {
      // order: relaxed; its thread's own.
      block.pointee.depths[index].store(newValue, ordering: .relaxed)
    }
  }
}
