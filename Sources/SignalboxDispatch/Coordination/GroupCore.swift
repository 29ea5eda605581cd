// GroupCore — a count of members, and who is told when it reaches zero.
//
// bits    name        meaning
// 0       waiters     someone may sleep on the generation
// 1       notices     the list of notices is not empty
// 2–31    members     a count
// 32–63   generation  how often the count fell to zero with someone to tell
//
// Touching    `word`: any thread, atomically. `notices`: under `lock`.
// Ordering    GC1  every leave (releasing) → the leave that empties the group
//                  (acquiring): what members did comes before what is told.
//             GC2  the emptying leave (releasing) → a waiter's load (acquiring).
// Invariants  I1  the compare-and-swap that takes the last member out and clears
//                 the flags advances the generation, so exactly one thread
//                 wakes the waiters and submits the notices of a generation.
//             I2  a notice carries the generation it was set in; the emptier of
//                 generation g takes notices of g and earlier only. One set
//                 after the group was entered again waits for the next zero.
// Sources     futex(2).

public import SignalboxRuntime
public import Synchronization

@frozen @usableFromInline
struct GroupCore: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>
  private let lock = EngineLock()
  private let notices = Atomic<UnsafeMutablePointer<Notice>?>(nil)

  @usableFromInline
  enum Bits {
    static var waiters: UInt64 { 1 }
    static var notices: UInt64 { 2 }
    @inlinable static var oneMember: UInt64 { 4 }
    @inlinable static var membersMask: UInt64 { 0xFFFF_FFFC }
    @inlinable static var oneGeneration: UInt64 { 1 << 32 }
    @inlinable static var flags: UInt64 { 3 }

    static func generation(_ bits: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
  }

  /// What is submitted when the group is empty.
  @usableFromInline
  struct Notice {
    let queue: DispatchQueue
    let item: ItemPointer
    let generation: UInt32
    var next: UnsafeMutablePointer<Notice>?
  }

  init(members: UInt64 = 0) { word = Atomic(members * Bits.oneMember) }

  /// How many members it has. A hint.
  var members: Int {
    // order: relaxed; a hint.
    Int((word.load(ordering: .relaxed) & Bits.membersMask) / Bits.oneMember)
  }

  // MARK: Members

  /// - Returns: whether there was room.
  @inlinable @inline(__always)
  borrowing func enter() -> Bool {
    // order: relaxed; a member's work is ordered by how it was submitted.
    let old = word.wrappingAdd(Bits.oneMember, ordering: .relaxed).oldValue
    return old & Bits.membersMask != Bits.membersMask
  }

  @frozen @usableFromInline
  enum Left { case left, wasEmpty }

  /// The caller holds a reference to the owner meanwhile: who is told may drop
  /// the last other one.
  @inlinable @inline(__always) @discardableResult
  borrowing func leave() -> Left {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while true {
      if old & Bits.membersMask == 0 { return .wasEmpty }
      var new = old - Bits.oneMember
      let empties = new & Bits.membersMask == 0 && new & Bits.flags != 0
      if empties { new = (new & ~Bits.flags) &+ Bits.oneGeneration }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: new,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, GC1 and GC2
        failureOrdering: .relaxed)
      if exchanged {
        if empties { tell(old) }
        return .left
      }
      old = current
    }
  }

  /// The group was emptied with someone to tell.
  @inline(never) @usableFromInline
  borrowing func tell(_ old: UInt64) {
    if old & Bits.waiters != 0 { WaitingDoor.wake(generationAddress, count: Int32.max) }
    if old & Bits.notices != 0 { submitNotices(of: Bits.generation(old)) }
  }

  // MARK: Waiting

  borrowing func wait(
    until deadline: Deadline, for reason: WaitReason, on resource: @autoclosure () -> WaitResource
  ) -> DispatchTimeoutResult {
    // order: acquiring, GC2
    if word.load(ordering: .acquiring) & Bits.membersMask == 0 { return .success }
    return waitSlow(until: deadline, for: reason, on: resource())
  }

  @inline(never)
  private borrowing func waitSlow(
    until deadline: Deadline, for reason: WaitReason, on resource: WaitResource
  ) -> DispatchTimeoutResult {
    guard let generation = announceWaiter() else { return .success }
    while true {
      let outcome = WaitingDoor.wait(
        while: generationAddress, is: generation, until: deadline, for: reason, on: resource)
      // order: acquiring, GC2
      let now = word.load(ordering: .acquiring)
      if Bits.generation(now) != generation { return .success }
      if outcome == .timedOut { return .timedOut }
    }
  }

  /// The generation whose end to wait for; nil if the group is empty.
  private borrowing func announceWaiter() -> UInt32? {
    // order: acquiring, GC2
    var old = word.load(ordering: .acquiring)
    while true {
      if old & Bits.membersMask == 0 { return nil }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: old | Bits.waiters,
        successOrdering: .relaxed,  // order: relaxed; the futex compares the generation again.
        failureOrdering: .acquiring)  // order: acquiring, GC2
      if exchanged { return Bits.generation(old) }
      old = current
    }
  }

  /// The upper half of the word, on which waiters sleep.
  private var generationAddress: UnsafeRawPointer {
    // SAFETY: as `wordAddress`: an atomic does not move.
    withUnsafePointer(to: word) {
      #if _endian(little)
        UnsafeRawPointer($0) + 4
      #else
        UnsafeRawPointer($0)
      #endif
    }
  }

  // MARK: Notices

  /// Submits `item` to `queue` when the group is empty, now or later.
  borrowing func notify(_ queue: DispatchQueue, _ item: ItemPointer) {
    lock.lock()
    guard let generation = announceNotice() else {
      lock.unlock()
      return queue.push(item)
    }
    let notice = UnsafeMutablePointer<Notice>.allocate(capacity: 1)
    notice.initialize(
      to: Notice(
        queue: queue, item: item, generation: generation,
        next: notices.load(ordering: .relaxed)))  // order: relaxed; under the lock.
    notices.store(notice, ordering: .relaxed)  // order: relaxed; under the lock.
    lock.unlock()
  }

  /// The generation whose end to tell of; nil if the group is empty.
  private borrowing func announceNotice() -> UInt32? {
    // order: acquiring, GC1
    var old = word.load(ordering: .acquiring)
    while true {
      if old & Bits.membersMask == 0 { return nil }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: old | Bits.notices,
        successOrdering: .relaxed,  // order: relaxed; the list is guarded by the lock.
        failureOrdering: .acquiring)  // order: acquiring, GC1
      if exchanged { return Bits.generation(old) }
      old = current
    }
  }

  /// Submits the notices set in `generation` or before, oldest first.
  private borrowing func submitNotices(of generation: UInt32) {
    lock.lock()
    var due: UnsafeMutablePointer<Notice>?
    var kept: UnsafeMutablePointer<Notice>?
    var keptLast: UnsafeMutablePointer<Notice>?
    // The list has the newest first: walking it reverses what is due.
    var next = notices.load(ordering: .relaxed)  // order: relaxed; under the lock.
    while let notice = next {
      next = notice.pointee.next
      // Generations wrap: compare their distance.
      if Int32(bitPattern: generation &- notice.pointee.generation) >= 0 {
        notice.pointee.next = due
        due = notice
      } else {
        notice.pointee.next = nil
        if let last = keptLast { last.pointee.next = notice } else { kept = notice }
        keptLast = notice
      }
    }
    notices.store(kept, ordering: .relaxed)  // order: relaxed; under the lock.
    lock.unlock()
    while let notice = due {
      let contents = notice.move()
      notice.deallocate()
      due = contents.next
      contents.queue.push(contents.item)
    }
  }
}
