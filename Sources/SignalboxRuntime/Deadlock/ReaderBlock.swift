// ReaderBlock — the slots in which one thread says what it holds for reading.
//
// A slot is a reader's claim, for which writers look, and the hold record that
// searches for deadlocks read. It is the thread's own, so that two readers of a lock
// write to no line of memory that both use. Where a thread holds more locks than one
// block has slots, it takes another block.
//
// bits of a slot  name    set to
// 0–1             stage   held, entering or waiting: see `Stage`
// 2–              lock    the address of a lock
//
// An empty slot is 0.
//
// Touching    `slots`: written by the block's thread; `waiting` is turned into `held`
//             by the lock's writer, too. Read by anyone.
//             `depths`, `further`: the block's thread; others while it waits, under its
//             record's lock. `owner`: see `ReaderBlocks`. `following`: written before
//             the block is in the list.
// Ordering    SH1  every store to a slot (releasing at least) → a writer's look at it
//                  (sequentially consistent): what was read under the lock was read
//                  before the writer writes, whatever the slot is used for since.
//             SH2  the writer's change of `waiting` to `held` (releasing) → the
//                  reader's look (acquiring): it sees what was written.
// Invariants  I1  only the block's thread fills or empties a slot.
//             I2  `entering` ⇒ its thread is awake, and will have made up its mind
//                 within some instructions.
// Sources     D. Dice, A. Kogan, "BRAVO — Biased Locking for Reader-Writer Locks"
//             (USENIX ATC 2019): readers that show themselves in a table. Theirs is
//             hashed and one for all; here each thread has a line of its own, so none
//             collide, and a writer looks through as many lines as threads read.

public import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct ReaderBlock: ~Copyable {
  /// As many as fill a line of the cache together with what comes after them.
  @inlinable static var size: Int { 6 }

  @usableFromInline let slots: InlineArray<6, Atomic<UInt>>
  /// The number of the thread that has the block; 0 if none has.
  let owner: Atomic<UInt32>
  /// The next block of the list of all.
  var following: ReaderBlockPointer?

  // Atomic because a change of a plain field counts as one of the first slot for
  // ThreadSanitizer, while writers look at the slots.

  /// How often each lock was taken again by the thread that holds it.
  @usableFromInline let depths: InlineArray<6, Atomic<UInt>>
  /// See `further`.
  private let furtherBlock = Atomic<ReaderBlockPointer?>(nil)

  init(owner: UInt32) {
    slots = InlineArray { _ in Atomic(0) }
    self.owner = Atomic(owner)
    depths = InlineArray { _ in Atomic(0) }
  }

  /// The thread's next block, which it took when it had filled this one.
  var further: ReaderBlockPointer? {
    // order: relaxed; asked by its thread, or while that stands still.
    furtherBlock.load(ordering: .relaxed)
  }

  /// For its own thread.
  func setFurther(_ block: ReaderBlockPointer?) {
    furtherBlock.store(block, ordering: .relaxed)  // order: relaxed; its thread's own.
  }

  /// What a slot says about its lock.
  @usableFromInline package enum Stage {
    /// The thread reads.
    @inlinable package static var held: UInt { 0 }
    /// It is about to look whether it may. Counts as held.
    @inlinable package static var entering: UInt { 1 }
    /// It sleeps, or is about to, until a writer leaves. Holds up nobody.
    @inlinable package static var waiting: UInt { 2 }
    @inlinable static var mask: UInt { 3 }
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

  /// An empty slot of the thread's first block, if there is one.
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

  /// The slot in the thread's first block that says that it reads under `lock`.
  @inlinable @inline(__always)
  package static func heldAtHand(_ lock: UInt) -> ReaderSlot? {
    guard let block = firstBlock else { return nil }
    for index in 0..<ReaderBlock.size {
      // order: relaxed; this thread wrote it, or has seen it granted.
      if block.pointee.slots[index].load(ordering: .relaxed) == lock {
        return ReaderSlot(block, index)
      }
    }
    return nil
  }

  /// A slot that says that the calling thread reads under `lock`.
  package static func held(_ lock: UInt) -> ReaderSlot? {
    held(lock, from: csb_thread_self().pointee.reader_blocks)
  }

  /// A slot of the thread whose first block this is.
  static func held(_ lock: UInt, from first: UnsafeMutableRawPointer?) -> ReaderSlot? {
    // SAFETY: only `ReaderBlocks` sets it.
    var next = first?.assumingMemoryBound(to: ReaderBlock.self)
    while let block = next {
      for index in 0..<ReaderBlock.size {
        // order: relaxed; the thread is this one or stands still.
        if block.pointee.slots[index].load(ordering: .relaxed) == lock {
          return ReaderSlot(block, index)
        }
      }
      next = block.pointee.further
    }
    return nil
  }

  // MARK: Steps

  /// Empty to `entering`. What `lock` says is to be looked at next.
  @inlinable @inline(__always)
  package func enter(_ lock: UInt) {
    block.pointee.slots[index].store(
      lock | ReaderBlock.Stage.entering,
      ordering: .sequentiallyConsistent)  // order: sequentially consistent, RG1 and SH1
  }

  /// `entering` to `held`.
  @inlinable @inline(__always)
  package func hold(_ lock: UInt) {
    block.pointee.slots[index].store(lock, ordering: .releasing)  // order: releasing, SH1
  }

  /// `held` or `entering` to empty. Whether a writer sleeps is to be looked at next.
  @inlinable @inline(__always)
  package func leave() {
    block.pointee.slots[index].store(
      0, ordering: .sequentiallyConsistent)  // order: sequentially consistent, RG3 and SH1
  }

  /// Empty to `waiting`.
  package func wait(_ lock: UInt) {
    // order: releasing, SH1
    block.pointee.slots[index].store(lock | ReaderBlock.Stage.waiting, ordering: .releasing)
  }

  /// `waiting` to `entering`, unless it is `held` now.
  ///
  /// - Returns: whether it is `held`.
  package func enterAgain(_ lock: UInt) -> Bool {
    // order: sequentially consistent, RG1; acquiring where it is held, SH2
    !block.pointee.slots[index].compareExchange(
      expected: lock | ReaderBlock.Stage.waiting, desired: lock | ReaderBlock.Stage.entering,
      successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring
    ).exchanged
  }

  /// `waiting` to empty, unless it is `held` now.
  ///
  /// - Returns: whether it is `held`.
  package func giveUp(_ lock: UInt) -> Bool {
    !block.pointee.slots[index].compareExchange(
      expected: lock | ReaderBlock.Stage.waiting, desired: 0,
      successOrdering: .relaxed,
      failureOrdering: .acquiring  // order: acquiring, SH2
    ).exchanged
  }

  /// Whether the writer has turned `waiting` into `held`.
  package func isGranted(_ lock: UInt) -> Bool {
    // order: acquiring, SH2
    block.pointee.slots[index].load(ordering: .acquiring) == lock
  }

  // MARK: Taken again

  /// How often the thread has taken the lock again and not left it again.
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
