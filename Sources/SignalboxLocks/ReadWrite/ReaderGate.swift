// ReaderGate — whether readers of a read–write lock may enter.
//
// bits    name         set if                       set by            cleared by
// 0       shut         a writer is in, or waits     that writer       it, leaving
//                      for the readers to leave
// 1       open         readers may come in by a     a reader; a       every 16th writer,
//                      look at this word alone      writer, leaving   leaving
// 2       readersWait  a reader may sleep on the    a reader about    a writer, leaving
//                      word                         to sleep
// 3       overtaken    such a reader has slept for  that reader       a writer, leaving
//                      an earlier writer already
// 4       writerWaits  the writer may sleep until   that writer       it, leaving
//                      readers have left
// 5–31    phase        counts writers               a writer, leaving
//
// shut  open
// 0     0     *idle*: no thread is in; a reader opens it first, a writer need not look for
//             readers
// 0     1     readers may be in
// 1     any   readers stay out, except those that read already
//
// A reader shows itself in a slot of its own (`ReaderBlock`) and then looks at the gate; a writer
// shuts the gate and then looks at all slots. The lock's `LockState` keeps writers apart, so at
// most one writer is here.
//
// Touching    the words: any thread, atomically. `shut`, `writerWaits`, `phase`: the writer that
//             holds the lock's `LockState`.
// Ordering    RG1  a reader fills its slot, then looks at the gate; the writer shuts the gate,
//                  then looks at the slots: all sequentially consistent. Either the reader's look
//                  comes later in their common order and finds the gate shut (or in the state of
//                  a later writer, which had to see that slot leave or is yet to look). Or it
//                  comes earlier; then the slot was filled earlier too, and the writer's look
//                  finds it.
//             RG2  a writer that opens the gate (releasing), and readers that change it after
//                  that → a reader that finds it open (acquiring): it sees what was written.
//                  Every change is a read-modify-write, so none breaks that.
//             RG3  a reader empties its slot, then looks for `writerWaits`; the writer sets that,
//                  then looks at the slots once more: as with RG1, so that the writer does not
//                  sleep without a thread to wake it.
//             RG4  a reader that has filled its slot with `waiting` and sets `overtaken`
//                  (releasing) → the writer that leaves and finds that bit (acquiring): it finds
//                  the slot too, and lets the reader in.
//             RG5  a writer that lets readers in and then changes the phase (releasing) → a
//                  reader that announces itself to the next writer (acquiring): the reader finds
//                  that it is in, so it does not sleep until the writer leaves: that writer waits
//                  for the reader.
// Invariants  I1  shut ⇒ the lock's `LockState` has an owner: it is acquired before the gate is
//                 shut, and released after it is opened.
//             I2  a reader that was woken and found the gate shut once more is in before the
//                 next writer: the writer that leaves lets it in through its slot. So neither side
//                 starves the other.
//             I3  a reader sleeps on a value of the word that it has seen with its slot filled: a
//                 writer that leaves changes the phase. (27 bits: a reader that is preempted
//                 between its look and its sleep for exactly that many writers, several seconds
//                 at least, would sleep one writer too long.)
// Rejected    a count of readers in the word: all readers write to one cache line. A gate that is
//             always open while no writer is there: a writer would look at all slots even if no
//             thread ever reads. A gate that every writer leaves idle: the first reader after
//             each writer would have to open it. To let in every reader that sleeps: it holds the
//             lock from then on, but runs only when it has a processor, and the next writer and
//             all behind it wait for that.

import CSignalbox
import SignalboxRuntime
import Synchronization

struct ReaderGate: ~Copyable {
  let word = Atomic<UInt32>(0)
  /// Counts readers that left while a writer waited for them. Any of them writes it, once it has seen
  /// the bit that the writer sets after reading it. It only ends the writer's sleep; what the writer
  /// finds in the slots decides.
  let departures = Relaxed<UInt32>(0)

  static var shutBit: UInt32 { 1 }
  static var openBit: UInt32 { 2 }
  static var readersWaitBit: UInt32 { 4 }
  static var overtakenBit: UInt32 { 8 }
  static var writerWaitsBit: UInt32 { 16 }
  static var onePhase: UInt32 { 32 }
  /// How many writers leave the gate open before one leaves it idle, which shows whether
  /// any thread still reads.
  private static var phasesUntilIdle: UInt32 { 16 }

  private static var side: UInt32 { shutBit | openBit }

  // MARK: Readers

  /// A check that only saves an attempt.
  @inline(__always)
  borrowing func seemsOpen() -> Bool {
    // order: relaxed; `isOpen` decides.
    word.load(ordering: .relaxed) & ReaderGate.side == ReaderGate.openBit
  }

  @inline(__always)
  borrowing func seemsShut() -> Bool {
    // order: relaxed; `isOpen` decides.
    word.load(ordering: .relaxed) & ReaderGate.shutBit != 0
  }

  /// Whether a reader that has filled its slot is in.
  @inline(__always)
  borrowing func isOpen() -> Bool {
    // order: sequentially consistent, RG1 and RG2
    word.load(ordering: .sequentiallyConsistent) & ReaderGate.side == ReaderGate.openBit
  }

  /// Opens an idle gate for a reader that has filled its slot.
  ///
  /// - Returns: whether that reader is in.
  borrowing func open() -> Bool {
    while true {
      if isOpen() { return true }
      // order: relaxed; the compare-and-swap decides.
      let old = word.load(ordering: .relaxed)
      if old & ReaderGate.shutBit != 0 { return false }
      let (opened, _) = word.compareExchange(
        expected: old & ~ReaderGate.openBit, desired: old | ReaderGate.openBit,
        successOrdering: .acquiring,  // order: acquiring, RG2; the look before shows the slot
        failureOrdering: .relaxed)
      if opened { return true }
    }
  }

  /// Records that a reader whose slot is `waiting` is about to sleep.
  ///
  /// - Parameter isOvertaken: whether it has slept before, so that the writer that leaves must
  ///   admit it.
  /// - Returns: the value to sleep on; nil if the gate is no longer shut.
  borrowing func announceReader(isOvertaken: Bool) -> UInt32? {
    let bits = ReaderGate.readersWaitBit | (isOvertaken ? ReaderGate.overtakenBit : 0)
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while old & ReaderGate.shutBit != 0 {
      let new = old | bits
      let (announced, original) = word.compareExchange(
        expected: old, desired: new,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, RG4 and RG5
        failureOrdering: .relaxed)
      if announced { return new }
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

  // MARK: The writer

  /// Shuts the gate.
  ///
  /// - Returns: whether readers may be in.
  @inline(__always)
  borrowing func shut() -> Bool {
    // order: sequentially consistent, RG1
    let old = word.bitwiseOr(ReaderGate.shutBit, ordering: .sequentiallyConsistent).oldValue
    return old & ReaderGate.openBit != 0
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

  /// Opens the gate, or leaves it idle as it was found, unless readers wait.
  @inline(__always)
  borrowing func leave() -> Bool {
    // order: relaxed; the compare-and-swap decides.
    let old = word.load(ordering: .relaxed)
    return old & ReaderGate.readersWaitBit == 0
      && word.compareExchange(
        expected: old, desired: ReaderGate.next(old),
        successOrdering: .releasing,  // order: releasing, RG2
        failureOrdering: .relaxed
      ).exchanged
  }

  /// The word after a writer for which no reader waits.
  @inline(__always)
  private static func next(_ old: UInt32) -> UInt32 {
    let phase = (old & ~(onePhase - 1)) &+ onePhase
    return phase % (phasesUntilIdle * onePhase) == 0 ? phase : phase | (old & openBit)
  }

  /// Admits the overtaken threads that wait to read under `lock`, and opens the gate. The caller
  /// then wakes those that sleep on the gate.
  borrowing func leaveToReaders(_ lock: UInt) {
    // order: acquiring, RG4
    let old = word.load(ordering: .acquiring)
    if old & ReaderGate.overtakenBit != 0 { ReaderBlocks.grant(lock) }
    let phase = (old & ~(ReaderGate.onePhase - 1)) &+ ReaderGate.onePhase
    // order: releasing, RG2 and RG5. A reader that has announced itself since then looks again.
    _ = word.exchange(phase | ReaderGate.openBit, ordering: .releasing)
  }
}
