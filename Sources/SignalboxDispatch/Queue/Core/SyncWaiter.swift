// SyncWaiter — a thread in a queue's list that waits for its turn.
//
// It lives on the stack of its thread, which returns only after the grant.
//
// States      word: waiting → asleep → granted, or waiting → granted.
// Touching    `word`: the waiter and the granter.
// Ordering    SW1  the grant's exchange (releasing) → the waiter's load (acquiring): the waiter
//                  sees what the owner saw.
// Invariants  I1  after its exchange, the granter uses nothing of the waiter except the address of
//                 its word, as a key for the kernel.

import CSignalbox
import SignalboxRuntime
import Synchronization

struct SyncWaiter: ~Copyable {
  private let item: Item
  private let word = Atomic<UInt32>(Word.waiting)
  private let thread: UInt32
  /// The thread's urgency, if it is above the queue's.
  private let urgency: Urgency?

  private enum Word {
    static let waiting: UInt32 = 0
    static let asleep: UInt32 = 1
    static let granted: UInt32 = 2
  }

  /// How many times a waiter checks before it sleeps: about two microseconds, the cost of a
  /// wake-up.
  private static let spinLimit = 100

  init(thread: UInt32, alone: Bool, urgency: Urgency?) {
    self.thread = thread
    self.urgency = urgency
    var flags: Item.Flags = alone ? [.waiter, .barrier] : [.waiter]
    if let urgency { flags.formUnion([.urgent, Item.Flags(urgency)]) }
    item = Item(
      { _ in internalBug("a thread that waits in sync was run as an item") }, flags: flags)
  }

  // MARK: The waiter's side

  /// Waits in the list of `queue` until this thread owns it or holds a share of it.
  static func wait(in queue: DispatchQueue, thread: UInt32, alone: Bool) {
    var urgency = queue.urgencyOfWaiter()
    if let wanted = urgency, !queue.level.addUrgent(wanted) { urgency = nil }
    var waiter = SyncWaiter(thread: thread, alone: alone, urgency: urgency)
    withUnsafeMutablePointer(to: &waiter) { pointer in
      // SAFETY: the item is the first field.
      let item = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Item.self)
      let isFirst = queue.list.append(item)
      let isOwner =
        isFirst
        ? queue.state.announceWaiter(thread, alone: alone)
        : queue.mayAdvance && queue.state.takeWaiting(thread)
      guard isOwner else { return pointer.pointee.sleep(waitingFor: queue) }
      // An owner may have come and gone between the append and this step. If that owner granted
      // this waiter a share, it set the word before it left the queue.
      // order: acquiring, SW1
      if pointer.pointee.word.load(ordering: .acquiring) == Word.granted {
        queue.handOff()
        return
      }
      if !queue.advance(thread, to: item, alone: alone) {
        pointer.pointee.sleep(waitingFor: queue)
      }
    }
  }

  private borrowing func sleep(waitingFor queue: DispatchQueue) {
    for _ in 0..<SyncWaiter.spinLimit {
      // order: acquiring, SW1
      if word.load(ordering: .acquiring) == Word.granted { return }
      csb_spin_hint()
    }
    let (fellAsleep, _) = word.compareExchange(
      expected: Word.waiting, desired: Word.asleep,
      successOrdering: .relaxed,
      // order: relaxed if it falls asleep, because nothing was granted; acquiring, SW1, if it was
      // granted.
      failureOrdering: .acquiring)
    guard fellAsleep else { return }
    queue.hurry(isMoreUrgent: urgency != nil)
    repeat {
      _ = Parking.wait(
        while: wordAddress(word), is: Word.asleep, until: .never, for: .sync,
        on: queue.resource)
      // order: acquiring, SW1
    } while word.load(ordering: .acquiring) != Word.granted
  }

  // MARK: The granter's side

  static func thread(of item: ItemPointer) -> UInt32 { pointer(item).pointee.thread }

  /// Wakes the thread that waits as `item`, because its turn has come. The waiter's memory may be
  /// gone when this returns.
  static func wake(_ item: ItemPointer) {
    let waiter = pointer(item)
    let address = wordAddress(waiter.pointee.word)
    // order: acquiring and releasing, SW1
    let old = waiter.pointee.word.exchange(Word.granted, ordering: .acquiringAndReleasing)
    if old == Word.asleep { Parking.wake(address) }
  }

  private static func pointer(_ item: ItemPointer) -> UnsafeMutablePointer<SyncWaiter> {
    // SAFETY: the flag `waiter` says that the item is a waiter's.
    UnsafeMutableRawPointer(item).assumingMemoryBound(to: SyncWaiter.self)
  }
}
