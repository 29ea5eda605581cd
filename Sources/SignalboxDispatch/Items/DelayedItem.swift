// DelayedItem — an item that a timer will submit.
//
// Touching    `contents`: the submitter, then whoever takes the
//             timer out of the driver: it when it is due, or a canceller.
// Ordering    DI1  each release of a reference (releasing) → the last one
//                  (acquiring), which frees the memory.
// Invariants  I1  the driver's reference is dropped by whoever took the timer
//                 out, the work item's by whoever took it out of `delay`.

import SignalboxRuntime
import Synchronization

struct DelayedItem: ~Copyable {
  typealias Pointer = UnsafeMutableRawPointer

  private var timer: TimerNode
  private let references: Atomic<UInt32>
  private var contents: Contents?

  /// What is submitted. For a work item its node is only made when it is due,
  /// so that a cancelled one has allocated none.
  private enum Contents {
    case item(ItemPointer, DispatchQueue)
    case workItem(DispatchWorkItem, DispatchQueue, Item.Flags)
  }

  private init(_ deadline: Deadline, _ contents: Contents, references: UInt32) {
    self.references = Atomic(references)
    self.contents = contents
    timer = TimerNode(deadline) { raw in
      DelayedItem.submit(raw)
      DelayedItem.release(raw)
    }
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
    let delayed = make(deadline, .workItem(workItem, queue, marks), references: 2)
    arm(delayed)
    workItem.attach(delayed)
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
    Engine.current.driver.arm(delayed.assumingMemoryBound(to: TimerNode.self))
  }

  // MARK: Ending

  /// It is due: the item goes to its queue.
  private static func submit(_ delayed: Pointer) {
    switch takeContents(delayed) {
    case .item(let item, let queue): queue.push(item)
    case .workItem(let workItem, let queue, let marks):
      queue.push(workItem.makeItem(group: nil, marks: marks))
    case nil: internalBug("a delayed item was submitted twice")
    }
  }

  /// Takes the timer back and frees what it holds.
  ///
  /// - Returns: whether it had not been due yet.
  static func cancel(_ delayed: Pointer) -> Bool {
    // SAFETY: the timer is the first field; the caller holds a reference.
    guard Engine.current.driver.cancel(delayed.assumingMemoryBound(to: TimerNode.self)) else {
      return false
    }
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
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }
}
