// DispatchWorkItem — work that you can wait for and cancel.
//
// States      `runs`: how many threads execute the item, and whether it is cancelled.
//             `completion`: a group with one member until the item has ended for the first time.
//             The other bits check the rules of use.
// Touching    `state`: any thread. `work`: read by the threads counted in `runs`; dropped by the
//             thread that finds the item cancelled with no run left.
// Ordering    WI1  the end of a run (releasing) → the drop of the closure (acquiring): no run
//                  loses its closure.
// Invariants  I1  once the item is cancelled, no run begins.
//             I2  the closure of a cancelled item is dropped exactly once, by the transition that
//                 finds no run left.

package import SignalboxRuntime
import Synchronization

/// Work that you can submit, perform, wait for and cancel.
///
/// ```swift
/// let item = DispatchWorkItem { print("done") }
/// DispatchQueue.global().async(execute: item)
/// item.wait()
/// ```
///
/// If you cancel an item that has not begun, it never runs, and its captures are freed before
/// `cancel()` returns. An item that waits in `asyncAfter` has then ended, and threads that wait
/// for it continue.
/// *Differences*: Apple's item keeps its captures until it is dequeued.
///
/// Source: Apple's documentation of `DispatchWorkItem`.
public class DispatchWorkItem: EndOfWork {
  let qos: DispatchQoS
  let flags: DispatchWorkItemFlags

  private let state = Atomic<UInt32>(0)
  // SAFETY: see Touching.
  private nonisolated(unsafe) var work: (() -> Void)?
  private let completion = GroupCore(members: 1)
  private let delays = Delays()

  private enum State {
    static let cancelled: UInt32 = 1 << 31
    static let dropped: UInt32 = 1 << 30
    static let ended: UInt32 = 1 << 29
    /// More than one run has ended.
    static let endedAgain: UInt32 = 1 << 28
    /// A thread waits for the item, or has waited for it successfully.
    static let waited: UInt32 = 1 << 27
    /// A run has ended.
    static let ran: UInt32 = 1 << 26
    static let runsMask: UInt32 = 1 << 26 - 1
  }

  /// Creates a work item.
  ///
  /// - Parameters:
  ///   - qos: the quality of service of the item where you submit it.
  ///   - flags: `.barrier` makes the item run alone on a concurrent queue;
  ///     `.assignCurrentContext` gives it the quality of service of the code that creates it,
  ///     unless `qos` specifies one.
  ///   - block: the work.
  public init(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    block: @escaping () -> Void
  ) {
    flags.checkKnown()
    self.qos =
      flags.contains(.assignCurrentContext) && !flags.contains(.noQoS)
        && qos.qosClass == .unspecified ? DispatchQoS(Urgency.ofThisThread) : qos
    self.flags = flags
    work = block
  }

  /// Ends an item that never ran, so that its pending notifications are submitted.
  deinit {
    endWithoutRun()
  }

  // MARK: Running

  /// Runs the work on this thread, unless the item was cancelled.
  public final func perform() { runSubmitted() }

  /// Runs the work unless the item is cancelled. After the first run, it wakes the waiting threads.
  final func runSubmitted() {
    guard begin() else { return endUnlessRunning() }
    ThreadHold.with(address, .work) { work?() }
    end()
    complete()
  }

  /// Ends an item that was dequeued after its cancellation. If a run is still under way, the end
  /// of that run ends the item.
  private func endUnlessRunning() {
    // order: acquiring, WI1
    if state.load(ordering: .acquiring) & State.runsMask == 0 { endWithoutRun() }
  }

  /// Begins a run.
  ///
  /// - Returns: whether this thread may run the closure; it is then counted.
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
    let old = state.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
    if old & State.cancelled != 0 && old & State.runsMask == 1 { dropWork() }
  }

  /// Records the end of a run. If the item was cancelled and then dequeued between the end of the
  /// first run and this step, it has ended already; that is not a misuse.
  private func complete() {
    // order: relaxed; only one thread may leave, and the group carries the ordering.
    let old = state.bitwiseOr(State.ended | State.ran, ordering: .relaxed).oldValue
    if old & State.ended == 0 { completion.leave() }
    if old & State.ran == 0 { return }
    // order: relaxed; only a check of a rule of use.
    state.bitwiseOr(State.endedAgain, ordering: .relaxed)
    if old & State.waited != 0 { runTwice("waited for") }
  }

  /// Ends the item although it did not run, and wakes the waiting threads. Has no effect if it
  /// has already ended.
  private func endWithoutRun() {
    // order: relaxed; only one thread may leave, and the group carries the ordering.
    let old = state.bitwiseOr(State.ended, ordering: .relaxed).oldValue
    if old & State.ended == 0 { completion.leave() }
  }

  private func runTwice(_ use: String) -> Never {
    clientBug(
      "a DispatchWorkItem was run more than once and \(use): its end would be ambiguous. Make an "
        + "item for each run.")
  }

  /// Frees the closure, once.
  private func dropWork() {
    // order: acquiring and releasing, WI1
    let old = state.bitwiseOr(State.dropped, ordering: .acquiringAndReleasing).oldValue
    if old & State.dropped == 0 { work = nil }
  }

  // MARK: Cancelling

  /// Prevents the item from starting. An item that has started continues; it can
  /// check ``isCancelled``.
  public final func cancel() {
    // order: acquiring and releasing, WI1
    let old = state.bitwiseOr(State.cancelled, ordering: .acquiringAndReleasing).oldValue
    guard old & State.cancelled == 0 else { return }
    if old & State.runsMask == 0 { dropWork() }
    cancelDelays()
  }

  /// Whether ``cancel()`` was called.
  public final var isCancelled: Bool {
    // order: relaxed; a flag that orders nothing else.
    state.load(ordering: .relaxed) & State.cancelled != 0
  }

  // MARK: Delay

  /// Records that the item is about to wait for `delayed`, and takes over a reference to it.
  final func willWait(for delayed: DelayedItem.Pointer) { delays.add(delayed) }

  /// Cancels the delay if the item was cancelled before the timer was armed, because `cancel` could
  /// not remove the timer then.
  final func doesWait(for delayed: DelayedItem.Pointer) {
    if isCancelled && DelayedItem.cancel(delayed) { endUnlessRunning() }
  }

  /// Forgets `delayed`, which is due.
  final func isDue(_ delayed: DelayedItem.Pointer) { delays.remove(delayed) }

  private func cancelDelays() {
    while let delayed = delays.takeAny() {
      if DelayedItem.cancel(delayed) { endUnlessRunning() }
      DelayedItem.release(delayed)
    }
  }

  // MARK: Waiting

  /// Waits until the item has ended.
  ///
  /// You can wait for an item only once, and only if it runs once; otherwise the call traps. It
  /// also traps if the item waits for this thread or is behind it in a queue.
  public final func wait() { _ = wait(until: .never) }

  /// Waits until the item has ended or `timeout` has passed.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    wait(until: timeout.deadline)
  }

  /// Waits until the item has ended or `wallTimeout` has passed.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
    wait(until: wallTimeout.deadline)
  }

  package final func wait(until deadline: Deadline) -> DispatchTimeoutResult {
    markWaited()
    let result = completion.wait(until: deadline, for: .workItem, on: resource)
    // order: relaxed; the group orders the next wait.
    if result == .timedOut { state.bitwiseAnd(~State.waited, ordering: .relaxed) }
    return result
  }

  /// Records that a thread waits for the item.
  private func markWaited() {
    // order: relaxed; only a check of a rule of use.
    let old = state.bitwiseOr(State.waited, ordering: .relaxed).oldValue
    if old & State.endedAgain != 0 { runTwice("waited for") }
    if old & State.waited != 0 {
      clientBug(
        "a DispatchWorkItem was waited for more than once: use a DispatchGroup where several wait.")
    }
  }

  /// Traps if a thread asks for the end of an item that has ended more than once. An item that runs
  /// again afterwards is allowed: its first end is the one that was asked for.
  private func checkEndedOnce(_ use: String) {
    // order: relaxed; only a check of a rule of use.
    if state.load(ordering: .relaxed) & State.endedAgain != 0 { runTwice(use) }
  }

  /// Submits `execute` to `queue` once the item has ended for the first time. If it has ended more
  /// than once already, the call traps.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping () -> Void
  ) {
    checkEndedOnce("observed by notify")
    completion.notify(
      queue, ClosureItem.make(execute, flags: queue.marks(qos, flags), group: nil))
  }

  /// Submits `execute` to `queue` once the item has ended for the first time. If it has ended more
  /// than once already, the call traps.
  public final func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
    checkEndedOnce("observed by notify")
    completion.notify(
      queue, execute.makeItem(group: nil, marks: queue.marks(execute.qos, execute.flags)))
  }

  package final func add(_ notice: GroupNotice.Pointer) -> Bool {
    checkEndedOnce("observed by finished")
    return completion.add(notice)
  }

  package final func withdraw(_ notice: GroupNotice.Pointer) -> Bool {
    completion.withdraw(notice)
  }

  package final var noticeCount: Int { completion.noticeCount }

  private var resource: WaitResource {
    WaitResource(
      object: address, describe: { _ in "a work item" },
      need: { raw, _ in .each(of: raw, ThreadStack.workItemTest) }, place: { $0.place },
      view: OutsideView("the work item", holder: .workers))
  }

  final var address: UnsafeRawPointer {
    // SAFETY: only compared, never followed.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  // MARK: Submitting

  /// A queue's item that runs this work item.
  final func makeItem(group: DispatchGroup?, marks: Item.Flags) -> ItemPointer {
    WorkItemNode.make(self, group: group, marks: marks)
  }
}

/// A submitted work item, and the group it belongs to.
struct WorkItemNode: ~Copyable {
  private let item: MemberItem
  private let workItem: Unmanaged<DispatchWorkItem>

  static func make(
    _ workItem: DispatchWorkItem, group: DispatchGroup?, marks: Item.Flags
  ) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    let node = raw.bindMemory(to: WorkItemNode.self, capacity: 1)
    node.initialize(to: WorkItemNode(workItem, group, marks))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ workItem: DispatchWorkItem, _ group: DispatchGroup?, _ marks: Item.Flags) {
    self.workItem = Unmanaged.passRetained(workItem)  // SAFETY: released when the item has run.
    // SAFETY: the item keeps the group.
    let group = group.map { Unmanaged.passUnretained($0) }
    item = MemberItem(WorkItemNode.run, flags: marks, group: group)
  }

  private static let run: Item.Function = { raw in
    // SAFETY: made by `make`.
    let node = raw.assumingMemoryBound(to: WorkItemNode.self)
    let workItem = node.pointee.workItem.takeRetainedValue()
    node.deinitialize(count: 1)
    NodeCache.items.give(raw)
    workItem.runSubmitted()
  }

  /// Whether `item` is the work item at this address.
  static func counts(_ item: ItemPointer, for object: UnsafeRawPointer) -> Bool {
    guard item.pointee.runs(run) else { return false }
    // SAFETY: the function says that the item is a work item's node.
    let node = UnsafeMutableRawPointer(item).assumingMemoryBound(to: WorkItemNode.self)
    return UnsafeRawPointer(node.pointee.workItem.toOpaque()) == object
  }
}
