// DispatchWorkItem — a piece of work that can be waited for and cancelled.
//
// States      `runs`: how many threads execute it, and whether it is cancelled.
//             `completion`: a group of its own that holds one member until the
//             item has ended for the first time.
// Touching    `state`: any thread. `work`: read by those counted in `runs`;
//             dropped by whoever finds it cancelled with none left.
// Ordering    WI1  the end of a run (releasing) → the drop of the closure
//                  (acquiring): nothing is freed under a run.
//             DL1  who puts a delayed item into `delay` (releasing) → who takes it
//                  out (acquiring): its contents are seen.
// Invariants  I1  once cancelled, no run begins.
//             I2  the closure of a cancelled item is dropped exactly once, by
//                 the transition that finds no run left.

import SignalboxRuntime
import Synchronization

/// Work that can be submitted, performed, waited for, and cancelled.
///
/// ```swift
/// let item = DispatchWorkItem { print("done") }
/// DispatchQueue.global().async(execute: item)
/// item.wait()
/// ```
///
/// Cancelling an item that has not begun keeps it from ever running, and frees
/// what its closure captured before `cancel()` returns. An item that waits for
/// its time in `asyncAfter` has then ended: who waits for it goes on.
/// *Differences*: Apple's item keeps its captures until it is dequeued.
///
/// Source: Apple's documentation of `DispatchWorkItem`.
public class DispatchWorkItem {
  let qos: DispatchQoS
  let flags: DispatchWorkItemFlags

  private let state = Atomic<UInt32>(0)
  // SAFETY: see Touching.
  private nonisolated(unsafe) var work: (() -> Void)?
  private let completion = GroupCore(members: 1)
  /// The timer that will submit the item, if there is one.
  private let delay = Atomic<DelayedItem.Pointer?>(nil)

  private enum State {
    static let cancelled: UInt32 = 1 << 31
    static let dropped: UInt32 = 1 << 30
    static let ended: UInt32 = 1 << 29
    static let runsMask: UInt32 = 1 << 29 - 1
  }

  /// - Parameters:
  ///   - qos: how urgent it is where it is submitted.
  ///   - flags: `.barrier` makes it run alone on a concurrent queue.
  ///   - block: the work.
  public init(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    block: @escaping () -> Void
  ) {
    self.qos = qos
    self.flags = flags
    work = block
  }

  /// One that never ran ends now, so that what `notify` left is submitted.
  deinit {
    // order: acquiring, DL1
    if let delayed = delay.exchange(nil, ordering: .acquiring) { DelayedItem.release(delayed) }
    complete()
  }

  // MARK: Running

  /// Runs the work on this thread, unless the item was cancelled.
  public final func perform() { runSubmitted() }

  /// Runs the work if it is not cancelled; then, for the first time, tells who
  /// waits.
  final func runSubmitted() {
    if begin() {
      work?()
      end()
    }
    complete()
  }

  /// Whether this thread may run the closure; it is then counted.
  private func begin() -> Bool {
    // order: relaxed; the compare-and-swap decides.
    var old = state.load(ordering: .relaxed)
    while old & State.cancelled == 0 {
      let (exchanged, current) = state.weakCompareExchange(
        expected: old, desired: old + 1,
        successOrdering: .relaxed,  // order: relaxed; what the submitter wrote came with the item.
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = current
    }
    return false
  }

  private func end() {
    // order: acquiring and releasing, WI1
    let old = state.subtract(1, ordering: .acquiringAndReleasing).oldValue
    if old & State.cancelled != 0 && old & State.runsMask == 1 { dropWork() }
  }

  private func complete() {
    // order: relaxed; only one thread gets to leave, and the group orders.
    let old = state.bitwiseOr(State.ended, ordering: .relaxed).oldValue
    if old & State.ended == 0 { completion.leave() }
  }

  /// Frees the closure, once.
  private func dropWork() {
    // order: acquiring and releasing, WI1
    let old = state.bitwiseOr(State.dropped, ordering: .acquiringAndReleasing).oldValue
    if old & State.dropped == 0 { work = nil }
  }

  // MARK: Cancelling

  /// Keeps the item from beginning. One that has begun goes on; it may look at
  /// ``isCancelled``.
  public final func cancel() {
    // order: acquiring and releasing, WI1
    let old = state.bitwiseOr(State.cancelled, ordering: .acquiringAndReleasing).oldValue
    guard old & State.cancelled == 0 else { return }
    if old & State.runsMask == 0 { dropWork() }
    cancelDelay()
  }

  /// Whether ``cancel()`` was called.
  public final var isCancelled: Bool {
    state.load(ordering: .relaxed) & State.cancelled != 0  // order: relaxed; a flag, nothing hangs on it.
  }

  // MARK: Delay

  /// The item waits for `delayed`, of which it now holds a reference.
  final func attach(_ delayed: DelayedItem.Pointer) {
    // order: acquiring and releasing, DL1
    if let old = delay.exchange(delayed, ordering: .acquiringAndReleasing) {
      DelayedItem.release(old)
    }
    if isCancelled { cancelDelay() }
  }

  private func cancelDelay() {
    // order: acquiring and releasing, DL1
    guard let delayed = delay.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    if DelayedItem.cancel(delayed) { complete() }
    DelayedItem.release(delayed)
  }

  // MARK: Waiting

  /// Waits until the item has ended for the first time.
  public final func wait() {
    _ = completion.wait(until: .never, for: .workItem, on: resource)
  }

  /// Waits until the item has ended, at most until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    completion.wait(until: timeout.deadline, for: .workItem, on: resource)
  }

  /// Waits until the item has ended, at most until `wallTimeout`.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
    completion.wait(until: wallTimeout.deadline, for: .workItem, on: resource)
  }

  /// Submits `execute` to `queue` once the item has ended.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping () -> Void
  ) {
    completion.notify(
      queue, ClosureItem.make(execute, flags: flags.itemFlags, group: nil), qos: qos, flags: flags)
  }

  /// Submits `execute` to `queue` once the item has ended.
  public final func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
    completion.notify(
      queue, execute.makeItem(group: nil), qos: execute.qos, flags: execute.flags)
  }

  private var resource: WaitResource {
    // SAFETY: compared, not followed.
    WaitResource(object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())) { _ in
      "a work item"
    }
  }

  // MARK: Submitting

  /// An item that runs this one.
  final func makeItem(group: DispatchGroup?) -> ItemPointer {
    WorkItemNode.make(self, group: group)
  }
}

/// A work item on its way, and the group it belongs to.
private struct WorkItemNode: ~Copyable {
  private let item: Item
  private let workItem: Unmanaged<DispatchWorkItem>
  private let group: Unmanaged<DispatchGroup>?

  static func make(_ workItem: DispatchWorkItem, group: DispatchGroup?) -> ItemPointer {
    let raw = NodeCache.take()
    // SAFETY: fresh memory of a node's size, which this type does not exceed.
    let node = raw.bindMemory(to: WorkItemNode.self, capacity: 1)
    node.initialize(to: WorkItemNode(workItem, group))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ workItem: DispatchWorkItem, _ group: DispatchGroup?) {
    // SAFETY: both are released when the item has run.
    self.workItem = Unmanaged.passRetained(workItem)
    self.group = group.map { Unmanaged.passRetained($0) }
    group?.enter()
    item = Item(
      { raw in
        // SAFETY: made by `make`.
        let node = raw.assumingMemoryBound(to: WorkItemNode.self)
        let workItem = node.pointee.workItem.takeRetainedValue()
        let group = node.pointee.group?.takeRetainedValue()
        node.deinitialize(count: 1)
        NodeCache.give(raw)
        workItem.runSubmitted()
        group?.leave()
      }, flags: workItem.flags.itemFlags)
  }
}
