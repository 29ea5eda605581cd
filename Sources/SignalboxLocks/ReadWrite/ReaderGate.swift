// ReaderGate — which thread writes under a read–write lock, and whether readers may enter.
//
// bits    name         set if                       set by            cleared by
// 0       readersWait  a reader may sleep on the    a reader about    a writer, leaving
//                      lower half                   to sleep
// 1       overtaken    such a reader has waited     that reader       a writer, leaving
//                      for an earlier writer
//                      already
// 2       writerWaits  the writer may sleep until   that writer       it, leaving
//                      readers have left
// 3       open         readers may come in by a     a reader; a       every 16th writer,
//                      look at this word alone      writer, leaving   leaving
// 4–31    phase        counts writers               a writer, leaving
// 32–62   owner        the writer of this number    that writer       it, leaving
//                      is in, or waits for the
//                      readers to leave
// 63      awaited      a writer may sleep on the    a writer about    a writer, leaving
//                      upper half for its turn      to sleep; one
//                                                   that has slept,
//                                                   when it enters
//
// owner  open
// 0      0     *idle*: no thread is in; a reader opens it first, a writer need not look for
//              readers
// 0      1     *open*: readers may be in
// ≠ 0    any   *shut*: other writers stay out, and readers, except those that read already
//
// A reader records itself in a slot of its own (`ReaderBlock`) and then looks at the gate. A writer
// shuts the gate, which keeps other writers out too, and then looks at all slots.
//
// Touching    the words: any thread, atomically. `owner`, `writerWaits`, `phase`: the writer that
//             has shut the gate.
// Ordering    RG1  a reader fills its slot, then looks at the gate; the writer shuts the gate,
//                  then looks at the slots: all sequentially consistent. There are two cases. If
//                  the reader's look comes later in this order, it finds the gate shut (or in the
//                  state of a later writer, which had to see that slot become empty or has not
//                  looked at it yet). If it comes earlier, the slot was filled earlier too, and the
//                  writer's look finds it.
//             RG2  a writer that opens the gate (releasing), and threads that change it after
//                  that → a reader that finds it open, and the next writer, which shuts it
//                  (acquiring): they see what was written. Every change is a read-modify-write,
//                  so none breaks the release sequence.
//             RG3  a reader empties its slot, then looks for `writerWaits`; the writer sets that,
//                  then looks at the slots once more. As with RG1, one of the two sees the other,
//                  so the writer does not sleep without a thread to wake it.
//             RG4  a reader that has filled its slot with `waiting` and sets `overtaken`
//                  (releasing) → the writer that leaves and finds that bit (acquiring): it finds
//                  the slot too, and lets the reader in.
//             RG5  a writer that lets readers in and then changes the phase (releasing) → a
//                  reader that announces itself to the next writer (acquiring): the reader finds
//                  that it is in. Otherwise it would sleep until that writer leaves, while that
//                  writer waits for the reader.
// Invariants  I1  a writer sleeps on the upper half ⇒ `awaited` is set, or a writer that was woken
//                 is about to shut the gate or to set `awaited`. A writer that has slept shuts the
//                 gate with `awaited` set, because it cannot know whether others still sleep.
//             I2  a reader that was woken, found the gate shut again and has set `overtaken` is in
//                 before the next writer: the writer that leaves finds the bit, and admits the
//                 reader through its slot. So neither side starves the other.
//             I3  a thread sleeps on a value that says that it may sleep, so the writer that
//                 replaces this value wakes it. A reader sleeps with its slot filled, on the lower
//                 half, whose phase changes when that writer leaves. (The phase has 28 bits: a
//                 reader that is preempted between its look and its sleep while exactly 2^28
//                 writers leave, several seconds at least, would sleep one writer too long.)
// Rejected    a count of readers in the word: all readers write to one cache line. A gate that is
//             always open while no writer is there: a writer would look at all slots even if no
//             thread ever reads. A gate that every writer leaves idle: the first reader after
//             each writer would have to open it. Admitting every reader that sleeps: such a reader
//             holds the lock from then on, but runs only when it gets a processor, and the next
//             writer and all threads behind it wait for that. A `LockState` that keeps writers
//             apart, beside a gate that keeps readers out: two changes more for each writer. The
//             owner in a word beside the gate: there are moments at which the lock is held and no
//             thread seems to hold it.
// Sources     glibc's semaphore (nptl/sem_waitcommon.c) also sleeps on one half of a word that it
//             changes as a whole.

import CSignalbox
import SignalboxRuntime
import Synchronization

struct ReaderGate: ~Copyable {
  let word = Atomic<UInt64>(0)
  /// Counts readers that left while a writer waited for them. A leaving reader increments it if it
  /// sees `writerWaits`, which the writer sets after it has read this count. The count only ends
  /// the writer's sleep; the slots decide whether the writer continues.
  let departures = Relaxed<UInt32>(0)

  static var readersWaitBit: UInt64 { 1 }
  static var overtakenBit: UInt64 { 2 }
  static var writerWaitsBit: UInt64 { 4 }
  static var openBit: UInt64 { 8 }
  static var onePhase: UInt64 { 16 }
  static var phaseMask: UInt64 { 0xFFFF_FFF0 }
  static var awaitedBit: UInt64 { 1 << 63 }
  /// How many writers leave the gate open before one leaves it idle, which shows whether
  /// any thread still reads.
  private static var phasesUntilIdle: UInt64 { 16 }

  private static func isShut(_ word: UInt64) -> Bool { word >> 32 != 0 }
  private static func owner(_ word: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (word & ~awaitedBit) >> 32)
  }

  /// The number of the writer that has shut the gate; 0 if no writer has. It is only reliable if it
  /// is the calling thread's own number.
  var owner: UInt32 {
    // order: relaxed; a thread sees what it wrote itself, all else is a hint.
    ReaderGate.owner(word.load(ordering: .relaxed))
  }

  // MARK: Hints

  /// Whether readers may be in.
  @inline(__always)
  borrowing func seemsOpen() -> Bool {
    // order: relaxed; `isOpen` decides.
    ReaderGate.isOpen(word.load(ordering: .relaxed))
  }

  @inline(__always)
  borrowing func seemsShut() -> Bool {
    // order: relaxed; the operation that follows decides.
    ReaderGate.isShut(word.load(ordering: .relaxed))
  }

  @inline(__always)
  borrowing func seemsAwaited() -> Bool {
    // order: relaxed; the operation that follows decides.
    word.load(ordering: .relaxed) & ReaderGate.awaitedBit != 0
  }

  // MARK: Readers

  private static func isOpen(_ word: UInt64) -> Bool {
    word & (~0 << 32 | openBit) == openBit
  }

  /// Whether a reader that has filled its slot is in.
  @inline(__always)
  borrowing func isOpen() -> Bool {
    // order: sequentially consistent, RG1 and RG2
    ReaderGate.isOpen(word.load(ordering: .sequentiallyConsistent))
  }

  /// Opens an idle gate for a reader that has filled its slot.
  ///
  /// - Returns: whether that reader is in.
  borrowing func open() -> Bool {
    while true {
      if isOpen() { return true }
      // order: relaxed; the compare-and-swap decides.
      let old = word.load(ordering: .relaxed)
      if ReaderGate.isShut(old) { return false }
      let (opened, _) = word.compareExchange(
        expected: old & ~ReaderGate.openBit, desired: old | ReaderGate.openBit,
        successOrdering: .acquiring,  // order: acquiring, RG2; the look before shows the slot
        failureOrdering: .relaxed)
      if opened { return true }
    }
  }

  /// Records that a reader whose slot is `waiting` is about to sleep.
  ///
  /// - Parameter first: what the first call of this wait returned; nil if this is the first. If the
  ///   phase is another one now, a writer has overtaken the reader and must admit it.
  /// - Returns: the lower half to sleep on; nil if the gate is no longer shut.
  borrowing func announceReader(since first: UInt32?) -> UInt32? {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while ReaderGate.isShut(old) {
      let isOvertaken = first.map { (UInt64($0) ^ old) & ReaderGate.phaseMask != 0 } ?? false
      let new = old | ReaderGate.readersWaitBit | (isOvertaken ? ReaderGate.overtakenBit : 0)
      let (announced, original) = word.compareExchange(
        expected: old, desired: new,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, RG4 and RG5
        failureOrdering: .relaxed)
      if announced { return UInt32(truncatingIfNeeded: new) }
      old = original
    }
    return nil
  }

  /// Whether the writer may sleep. A reader calls this after it has emptied its slot.
  @inline(__always)
  borrowing func hasWaitingWriter() -> Bool {
    // order: sequentially consistent, RG3
    word.load(ordering: .sequentiallyConsistent) & ReaderGate.writerWaitsBit != 0
  }

  @inline(never)
  borrowing func wakeWriter() {
    departures.add(1)
    Parking.wake(wordAddress(departures))
  }

  // MARK: Writers

  /// What a writer finds when it tries to shut the gate.
  enum Found { case idle, open, shut }

  /// Shuts the gate for the writer with this number, unless another one has.
  ///
  /// - Parameter hasSlept: whether the writer has slept for its turn.
  @inline(__always)
  borrowing func shut(_ writer: UInt32, hasSlept: Bool = false) -> Found {
    let bits = UInt64(writer) << 32 | (hasSlept ? ReaderGate.awaitedBit : 0)
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while !ReaderGate.isShut(old) {
      let (shut, original) = word.compareExchange(
        expected: old, desired: old | bits,
        successOrdering: .sequentiallyConsistent,  // order: sequentially consistent, RG1 and RG2
        failureOrdering: .relaxed)
      if shut { return old & ReaderGate.openBit == 0 ? .idle : .open }
      old = original
    }
    return .shut
  }

  /// Records that a writer is about to sleep until the writer that has shut the gate leaves.
  ///
  /// - Returns: the upper half to sleep on, and the owner in it; nil if the gate is no longer shut.
  borrowing func announceNextWriter() -> (half: UInt32, owner: UInt32)? {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while ReaderGate.isShut(old) {
      let new = old | ReaderGate.awaitedBit
      let (announced, original) = word.compareExchange(
        expected: old, desired: new,
        ordering: .relaxed)  // order: relaxed; the futex compares the half again.
      if announced { return (UInt32(truncatingIfNeeded: new >> 32), ReaderGate.owner(new)) }
      old = original
    }
    return nil
  }

  /// Records that the writer is about to sleep if it finds a reader in the
  /// slots.
  ///
  /// - Returns: the value of `departures` to sleep on.
  borrowing func announceWriter() -> UInt32 {
    let seen = departures.load()
    // order: sequentially consistent, RG3
    word.bitwiseOr(ReaderGate.writerWaitsBit, ordering: .sequentiallyConsistent)
    return seen
  }

  /// Releases the gate if no thread waits. Leaves it as the writer found it, open or idle; every
  /// 16th writer leaves it idle.
  ///
  /// - Returns: whether it released the gate.
  @inline(__always)
  borrowing func leave(_ writer: UInt32) -> Bool {
    // order: relaxed; the compare-and-swap decides.
    let old = word.load(ordering: .relaxed)
    return old >> 32 == writer && old & ReaderGate.readersWaitBit == 0
      && word.compareExchange(
        expected: old, desired: ReaderGate.next(old),
        successOrdering: .releasing,  // order: releasing, RG2
        failureOrdering: .relaxed
      ).exchanged
  }

  /// The word that a writer leaves behind if no reader waits.
  @inline(__always)
  private static func next(_ old: UInt64) -> UInt64 {
    let phase = (old &+ onePhase) & phaseMask
    return phase % (phasesUntilIdle * onePhase) == 0 ? phase : phase | (old & openBit)
  }

  /// Releases the gate. If a reader was overtaken, first admits all that wait to read under `lock`.
  ///
  /// - Parameter readersAreIn: whether the writer leaves because it could not wait for the readers.
  /// - Returns: the old word, which says whether readers and writers may sleep; the caller wakes
  ///   them.
  borrowing func leaveSlow(_ lock: UInt, readersAreIn: Bool) -> UInt64 {
    while true {
      // order: acquiring, RG4
      let old = word.load(ordering: .acquiring)
      if old & ReaderGate.overtakenBit != 0 { ReaderBlocks.grant(lock) }
      let opens = readersAreIn || old & ReaderGate.readersWaitBit != 0
      let new =
        opens
        ? (old &+ ReaderGate.onePhase) & ReaderGate.phaseMask | ReaderGate.openBit
        : ReaderGate.next(old)
      let (hasLeft, _) = word.compareExchange(
        expected: old, desired: new,
        successOrdering: .releasing,  // order: releasing, RG2 and RG5
        failureOrdering: .relaxed)
      if hasLeft { return old }
    }
  }

  // MARK: Sleepers

  /// The half of the word on which readers sleep.
  var readersAddress: UnsafeRawPointer {
    // SAFETY: an atomic does not move, as for `wordAddress`.
    withUnsafePointer(to: word) {
      #if _endian(little)
        UnsafeRawPointer($0)
      #else
        UnsafeRawPointer($0) + 4
      #endif
    }
  }

  /// The half of the word on which writers sleep until it is their turn.
  var writersAddress: UnsafeRawPointer {
    // SAFETY: an atomic does not move, as for `wordAddress`.
    withUnsafePointer(to: word) {
      #if _endian(little)
        UnsafeRawPointer($0) + 4
      #else
        UnsafeRawPointer($0)
      #endif
    }
  }
}
