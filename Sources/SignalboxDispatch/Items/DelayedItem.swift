// DelayedItem — an item that a timer will submit.
//
// Touching    `contents`: the submitter, then the thread that removes the timer from the driver:
//             the one that finds it due, or a canceller. `next`, `previous`: under the lock of
//             the work item's `Delays`.
// Ordering    DI1  each release of a reference (releasing) → the last release (acquiring), which
//                  frees the memory.
// Invariants  I1  the thread that removes the timer drops the driver's reference; the thread that
//                 removes the delay from `Delays` drops the work item's.

import SignalboxRuntime
import Synchronization

struct DelayedItem: ~Copyable {
  typealias Pointer = UnsafeMutableRawPointer

  private var timer: TimerNode
  private let references: Atomic<UInt32>
  private var contents: Contents?
  fileprivate var next: Pointer?
  fileprivate var previous: Pointer?
  fileprivate var isListed = false

  /// What to submit. The node of a work item is allocated only when the item is due, so that a
  /// cancelled one costs no node.
  private enum Contents {
    case item(ItemPointer, DispatchQueue)
    case workItem(DispatchWorkItem, DispatchQueue, Item.Flags)
  }

  private init(_ deadline: Deadline, _ contents: Contents, references: UInt32) {
    self.references = Atomic(references)
    self.contents = contents
    timer = TimerNode(
      deadline, leeway: .usual(until: deadline),
      { raw in
        DelayedItem.submit(raw)
        DelayedItem.release(raw)
      }, for: .item)
  }

  // MARK: Making

  static func submit(_ item: ItemPointer, to queue: DispatchQueue, at deadline: Deadline) {
    let delayed = make(deadline, .item(item, queue), references: 1)
    arm(delayed)
  }

  static func submit(
    _ workItem: DispatchWorkItem, to queue: DispatchQueue, at deadline: Deadline
  ) {
    let marks = queue.marks(workItem.qos, workItem.flags)
    // One for the driver, one for the work item, one for this call.
    let delayed = make(deadline, .workItem(workItem, queue, marks), references: 3)
    // Add it to the work item's list before arming it: it may be due before `arm` returns.
    workItem.willWait(for: delayed)
    arm(delayed)
    workItem.doesWait(for: delayed)
    release(delayed)
  }

  private static func make(
    _ deadline: Deadline, _ contents: Contents, references: UInt32
  ) -> Pointer {
    let pointer = UnsafeMutablePointer<DelayedItem>.allocate(capacity: 1)
    pointer.initialize(to: DelayedItem(deadline, contents, references: references))
    return Pointer(pointer)
  }

  private static func arm(_ delayed: Pointer) {
    // SAFETY: the timer is the first field; the driver's reference keeps it.
    let timer = delayed.assumingMemoryBound(to: TimerNode.self)
    Engine.driver._withUnsafeGuaranteedRef { $0.arm(timer) }
  }

  /// The label of the queue that the pending timer's item will go to. The caller holds the
  /// driver's lock.
  static func queueLabel(_ timer: TimerPointer) -> String? {
    // SAFETY: the timer's purpose says that it is a delayed item's, and it is the first field.
    let delayed = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: DelayedItem.self)
    switch delayed.pointee.contents {
    case .item(_, let queue), .workItem(_, let queue, _): return queue.label
    case nil: return nil
    }
  }

  // MARK: Ending

  /// Submits the item to its queue, because it is due.
  private static func submit(_ delayed: Pointer) {
    switch takeContents(delayed) {
    case .item(let item, let queue):
      item.pointee.flags.insert(.delayed)
      queue.push(item)
    case .workItem(let workItem, let queue, let marks):
      workItem.isDue(delayed)
      queue.push(workItem.makeItem(group: nil, marks: marks.union(.delayed)))
    case nil: internalBug("a delayed item was submitted twice")
    }
  }

  /// Removes the timer from the driver and frees what the delayed item holds.
  ///
  /// - Returns: whether it was not due yet.
  static func cancel(_ delayed: Pointer) -> Bool {
    // SAFETY: the timer is the first field; the caller holds a reference.
    let timer = delayed.assumingMemoryBound(to: TimerNode.self)
    guard Engine.driver._withUnsafeGuaranteedRef({ $0.cancel(timer) }) else { return false }
    _ = takeContents(delayed)
    release(delayed)
    return true
  }

  private static func takeContents(_ delayed: Pointer) -> Contents? {
    let pointer = delayed.assumingMemoryBound(to: DelayedItem.self)  // SAFETY: made by `make`.
    let contents = pointer.pointee.contents
    pointer.pointee.contents = nil
    return contents
  }

  static func release(_ delayed: Pointer) {
    let pointer = delayed.assumingMemoryBound(to: DelayedItem.self)  // SAFETY: made by `make`.
    // order: acquiring and releasing, DI1
    let left = pointer.pointee.references.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      .newValue
    if left == 0 {
      if pointer.pointee.contents != nil { internalBug("a delayed item was freed with contents") }
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }
}

/// The timers that will submit one work item.
///
/// Touching: everything under `lock`.
struct Delays: ~Copyable {
  private let lock = EngineLock()
  /// Read and written under `lock`.
  private let first = SingleWriter<DelayedItem.Pointer?>(nil)

  /// Adds `delayed` and takes over a reference to it.
  borrowing func add(_ delayed: DelayedItem.Pointer) {
    lock.lock()
    let item = Delays.item(delayed)
    let old = first.load()
    item.pointee.next = old
    if let old { Delays.item(old).pointee.previous = delayed }
    item.pointee.isListed = true
    first.store(delayed)
    lock.unlock()
  }

  /// Removes `delayed` and drops its reference, unless another thread has removed it.
  borrowing func remove(_ delayed: DelayedItem.Pointer) {
    lock.lock()
    let wasListed = unlink(delayed)
    lock.unlock()
    if wasListed { DelayedItem.release(delayed) }
  }

  /// Removes one delayed item and passes its reference to the caller.
  borrowing func takeAny() -> DelayedItem.Pointer? {
    lock.lock()
    defer { lock.unlock() }
    guard let delayed = first.load() else { return nil }
    _ = unlink(delayed)
    return delayed
  }

  private borrowing func unlink(_ delayed: DelayedItem.Pointer) -> Bool {
    let item = Delays.item(delayed)
    guard item.pointee.isListed else { return false }
    item.pointee.isListed = false
    let (next, previous) = (item.pointee.next, item.pointee.previous)
    if let next { Delays.item(next).pointee.previous = previous }
    if let previous {
      Delays.item(previous).pointee.next = next
    } else {
      first.store(next)
    }
    item.pointee.next = nil
    item.pointee.previous = nil
    return true
  }

  private static func item(_ delayed: DelayedItem.Pointer) -> UnsafeMutablePointer<DelayedItem> {
    delayed.assumingMemoryBound(to: DelayedItem.self)  // SAFETY: made by `DelayedItem.make`.
  }
}
