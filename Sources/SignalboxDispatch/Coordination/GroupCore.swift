// GroupCore — a count of members, and the waiters and notices for the moment when it reaches
// zero.
//
// bits    name        meaning
// 0       waiters     a thread may sleep on the generation
// 1       notices     the list of notices is not empty
// 2–31    members     a count
// 32–63   generation  how many times the count fell to zero with a waiter or a notice
//
// Touching    `word`: any thread, atomically.
// Ordering    GC1  every leave (releasing) → the leave that empties the group (acquiring): the
//                  members' work comes before the notices, and before the release of the members'
//                  reference (`DispatchGroup.isKeptByMembers`).
//             GC2  the emptying leave (releasing) → a waiter's load (acquiring).
// Invariants  I1  the compare-and-swap that removes the last member and clears the flags advances
//                 the generation, so exactly one thread wakes the waiters and calls the notices
//                 of a generation.
//             I2  a notice carries the generation in which it was added; the thread that empties
//                 generation g takes only notices of g and earlier. A notice that is added after
//                 the group was entered again waits for the next zero.
//             I3  a notice is removed from the list once, under `lock`: by the emptying thread,
//                 which calls it, or by `withdraw`, after which it is never called.
// Sources     futex(2).

public import SignalboxRuntime
public import Synchronization

@frozen @usableFromInline
struct GroupCore: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>
  private let lock = EngineLock()
  /// The newest notice of the list. Read and written under `lock`.
  private let notices = SingleWriter<GroupNotice.Pointer?>(nil)

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

  init(members: UInt64 = 0) { word = Atomic(members * Bits.oneMember) }

  /// The number of members. A hint.
  var members: Int {
    // order: relaxed; the count may be out of date.
    Int((word.load(ordering: .relaxed) & Bits.membersMask) / Bits.oneMember)
  }

  // MARK: Members

  @frozen @usableFromInline
  enum Entered { case first, further, wasFull }

  /// Adds a member.
  @inlinable @inline(__always)
  borrowing func enter() -> Entered {
    // order: relaxed; the submission of a member's work orders it.
    let old = word.wrappingAdd(Bits.oneMember, ordering: .relaxed).oldValue & Bits.membersMask
    return old == 0 ? .first : old == Bits.membersMask ? .wasFull : .further
  }

  @frozen @usableFromInline
  enum Left { case last, left, wasEmpty }

  /// Removes members. The caller or the members must hold a reference to the group's object,
  /// because a thread that this call wakes may drop all other references. If other members remain,
  /// this call does not use the object after the exchange.
  @inlinable @inline(__always) @discardableResult
  borrowing func leave(_ members: UInt64 = 1) -> Left {
    let leaving = members &* Bits.oneMember
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while true {
      if old & Bits.membersMask < leaving { return .wasEmpty }
      var new = old - leaving
      let isLast = new & Bits.membersMask == 0
      let empties = isLast && new & Bits.flags != 0
      if empties { new = (new & ~Bits.flags) &+ Bits.oneGeneration }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: new,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, GC1 and GC2
        failureOrdering: .relaxed)
      if exchanged {
        if empties { tell(old) }
        return isLast ? .last : .left
      }
      old = current
    }
  }

  /// Wakes the waiters and calls the notices of a group that has just become
  /// empty.
  @inline(never) @usableFromInline
  borrowing func tell(_ old: UInt64) {
    if old & Bits.waiters != 0 { Parking.wake(generationAddress, count: Int32.max) }
    if old & Bits.notices != 0 { callNotices(of: Bits.generation(old)) }
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
      let outcome = Parking.wait(
        while: generationAddress, is: generation, until: deadline, for: reason, on: resource)
      // order: acquiring, GC2
      let now = word.load(ordering: .acquiring)
      if Bits.generation(now) != generation { return .success }
      if outcome == .timedOut { return .timedOut }
    }
  }

  /// Sets the bit `waiters`.
  ///
  /// - Returns: the generation whose end to wait for; nil if the group is empty.
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
    // SAFETY: an atomic does not move, as for `wordAddress`.
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
    if !add(ItemNotice.make(queue, item)) { queue.push(item) }
  }

  /// Calls the notice when the group is empty. Its memory belongs to the caller until the notice
  /// is called or `withdraw` has removed it.
  ///
  /// - Returns: whether it will be called: not if the group is empty already. `makeNotice` is then
  ///   not evaluated.
  borrowing func add(_ makeNotice: @autoclosure () -> GroupNotice.Pointer) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard let generation = announceNotice() else { return false }
    let notice = makeNotice()
    notice.pointee.generation = generation
    notice.pointee.isListed = true
    let old = notices.load()
    notice.pointee.next = old
    notice.pointee.previous = nil
    if let old { old.pointee.previous = notice }
    notices.store(notice)
    return true
  }

  /// Removes a notice. The word may still say that there are notices; that costs no more than a
  /// check of the list when the group is empty.
  ///
  /// - Returns: whether the notice was still in the list. If not, it has been called or is about
  ///   to be.
  borrowing func withdraw(_ notice: GroupNotice.Pointer) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard notice.pointee.isListed else { return false }
    notice.pointee.isListed = false
    let (next, previous) = (notice.pointee.next, notice.pointee.previous)
    if let next { next.pointee.previous = previous }
    if let previous {
      previous.pointee.next = next
    } else {
      notices.store(next)
    }
    return true
  }

  var noticeCount: Int {
    lock.lock()
    defer { lock.unlock() }
    var count = 0
    var next = notices.load()
    while let notice = next {
      count += 1
      next = notice.pointee.next
    }
    return count
  }

  /// Sets the bit `notices`.
  ///
  /// - Returns: the generation that the notice waits for; nil if the group is empty.
  private borrowing func announceNotice() -> UInt32? {
    // order: acquiring, GC1
    var old = word.load(ordering: .acquiring)
    while true {
      if old & Bits.membersMask == 0 { return nil }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: old | Bits.notices,
        successOrdering: .relaxed,  // order: relaxed; the lock guards the list.
        failureOrdering: .acquiring)  // order: acquiring, GC1
      if exchanged { return Bits.generation(old) }
      old = current
    }
  }

  /// Calls the notices that were added in `generation` or before, oldest first.
  private borrowing func callNotices(of generation: UInt32) {
    lock.lock()
    var due: GroupNotice.Pointer?
    var kept: GroupNotice.Pointer?
    var keptLast: GroupNotice.Pointer?
    // The list has the newest notice first, so the walk reverses the due ones.
    var next = notices.load()
    while let notice = next {
      next = notice.pointee.next
      // Generations wrap: compare their distance.
      if Int32(bitPattern: generation &- notice.pointee.generation) >= 0 {
        notice.pointee.isListed = false
        notice.pointee.next = due
        due = notice
      } else {
        notice.pointee.next = nil
        notice.pointee.previous = keptLast
        if let last = keptLast { last.pointee.next = notice } else { kept = notice }
        keptLast = notice
      }
    }
    notices.store(kept)
    lock.unlock()
    while let notice = due {
      // The notice's memory may be gone after the call.
      due = notice.pointee.next
      notice.pointee.function(UnsafeMutableRawPointer(notice))
    }
  }
}
