// DispatchGroup — tasks that you wait for together.

public import SignalboxRuntime

/// A count of tasks under way, on any queues, that you can wait for together.
///
/// ```swift
/// let group = DispatchGroup()
/// for address in addresses {
///   DispatchQueue.global().async(group: group) { download(address) }
/// }
/// group.notify(queue: .main) { print("all there") }
/// ```
///
/// You can reuse a group once it is empty. Leaving a group more often than it was entered traps.
///
/// Calls of `leave()` may be missing when the last reference to the group goes away. The closures
/// that you gave to `notify` then never run and are not freed. The first time that this happens in a
/// process, a warning says so. The items of `async(group:)` keep their group until they have ended.
///
/// Source: Apple's documentation of `DispatchGroup`.
// SAFETY: all state is in `core`.
public class DispatchGroup: DispatchObject, @unchecked Sendable {
  @usableFromInline let core = GroupCore()

  /// Whether the members together hold a reference to the group, so that it can be released before
  /// they have left it. The first member takes the reference, and the last one releases it.
  ///
  /// The first member takes the reference after it was counted; other threads may already have
  /// counted further members. The count does not fall to zero in between, because the first member
  /// has not left yet.
  @usableFromInline package let isKeptByMembers: Bool

  /// Creates an empty group.
  public init() {
    isKeptByMembers = false
    super.init(.group)
  }

  /// Creates an empty group whose members may leave it after its last release. Only C code does
  /// that: in Swift, the caller of `leave()` has a reference.
  package init(keptByMembers: Void) {
    isKeptByMembers = true
    super.init(.group)
  }

  deinit {
    Probe.groupFreed(address)
    let members = core.members
    if members != 0 { wasReleased(with: members) }
  }

  /// Given when a group is released with members.
  static let releaseWarning = OnceWarning()

  /// Reports the first group of the process that was released with members. Its notices are not
  /// freed, as with the toolchain: freeing a work item ends it, and would wake those who wait for
  /// it.
  @inline(never)
  private func wasReleased(with members: Int) {
    let event = "a DispatchGroup was released with \(counted(members, "member")) left"
    // The members have a reference, so somebody has released one that is not theirs.
    if isKeptByMembers { clientBug("\(event): release it only as often as it is retained.") }
    DispatchGroup.releaseWarning.give(
      "\(event): it is never empty now, and its notifications never run. Call leave() as often as "
        + "enter().")
  }

  public override var description: String { "<DispatchGroup, members: \(core.members)>" }

  /// Counts one more task under way.
  @inlinable
  public final func enter() {
    Probe.groupEntered(address)
    switch core.enter() {
    case .first: if isKeptByMembers { retainForMembers() }
    case .further: break
    case .wasFull: enteredTooOften()
    }
  }

  @inline(never) @usableFromInline
  func enteredTooOften() -> Never {
    clientBug("a DispatchGroup was entered more than a billion times.")
  }

  /// Counts the end of one task.
  @inlinable
  public final func leave() {
    Probe.groupLeft(address)
    if PutOffWork.isPossible { PutOffWork.doAll() }
    countOut(1)
  }

  @inlinable @inline(__always)
  final func countOut(_ members: UInt64) {
    switch core.leave(members) {
    case .last: if isKeptByMembers { releaseForMembers() }
    case .left: break
    case .wasEmpty: leftTooOften()
    }
  }

  @inline(never) @usableFromInline
  func leftTooOften() -> Never {
    clientBug("leave() on an empty DispatchGroup: each leave() needs an enter() before it.")
  }

  // MARK: References

  // SAFETY: the members' reference. The caller has one of its own.
  @inline(never) @usableFromInline
  final func retainForMembers() { _ = Unmanaged.passRetained(self) }

  // SAFETY: the members' reference, and the caller does not use the group afterwards.
  @inline(never) @usableFromInline
  final func releaseForMembers() { Unmanaged.passUnretained(self).release() }

  /// Counts one more task, and keeps the group until `leaveKept`.
  @inline(__always)
  static func enterKept(_ group: Unmanaged<DispatchGroup>) {
    let isKept = group._withUnsafeGuaranteedRef { group in
      group.enter()
      return group.isKeptByMembers
    }
    // SAFETY: balanced by `leaveKept`. Otherwise the members hold a reference.
    if !isKept { _ = group.retain() }
  }

  /// Counts the ends of tasks for which `enterKept` was called. Their probes were emitted when they
  /// ended.
  static func leaveKept(_ group: Unmanaged<DispatchGroup>, members: UInt64) {
    let isKept = group._withUnsafeGuaranteedRef { group in
      // Read this first: after `countOut`, another thread may free a group that the members keep.
      let isKept = group.isKeptByMembers
      group.countOut(members)
      return isKept
    }
    if isKept { return }
    for _ in 0..<members { group.release() }  // SAFETY: the references of `enterKept`.
  }

  // MARK: Waiting

  /// Waits until the group is empty.
  ///
  /// If an item of the group waits for this thread, or is behind it in a queue, the wait would
  /// never end. The call then traps with a message that names all threads involved.
  public final func wait() {
    _ = core.wait(until: .never, for: .group, on: resource)
  }

  /// Waits until the group is empty or `timeout` has passed.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    core.wait(until: timeout.deadline, for: .group, on: resource)
  }

  /// Waits until the group is empty, or the wall clock passes `timeout`.
  public final func wait(wallTimeout timeout: DispatchWallTime) -> DispatchTimeoutResult {
    core.wait(until: timeout.deadline, for: .group, on: resource)
  }

  package final func wait(until deadline: Deadline) -> DispatchTimeoutResult {
    core.wait(until: deadline, for: .group, on: resource)
  }

  /// Submits `work` to `queue` once the group is empty, or at once if it is empty now.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute work: @escaping () -> Void
  ) {
    core.notify(queue, ClosureItem.make(work, flags: queue.marks(qos, flags), group: nil))
  }

  /// Submits `work` to `queue` once the group is empty, or at once if it is empty now.
  public final func notify(queue: DispatchQueue, work: DispatchWorkItem) {
    core.notify(
      queue, work.makeItem(group: nil, marks: queue.marks(work.qos, work.flags)))
  }

  private var resource: WaitResource {
    WaitResource(
      object: address, describe: { _ in "a group" },
      situation: { raw in
        // SAFETY: a thread that waits for the group holds a reference to it.
        Unmanaged<DispatchGroup>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          " with \(counted($0.core.members, "member"))"
        }
      },
      need: { raw, _ in .each(of: raw, ThreadStack.workTest) }, place: { $0.place },
      view: OutsideView("the group", holder: .workers))
  }
}
