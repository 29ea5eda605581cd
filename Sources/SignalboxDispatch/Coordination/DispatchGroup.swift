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
/// You can reuse a group once it is empty. It traps to release a group that is not empty, and to
/// leave a group more often than it was entered.
///
/// Source: Apple's documentation of `DispatchGroup`.
// SAFETY: all state is in `core`.
public class DispatchGroup: DispatchObject, @unchecked Sendable {
  @usableFromInline let core = GroupCore()

  /// Creates an empty group.
  public override init() { super.init() }

  deinit {
    Probe.groupFreed(address)
    let members = core.members
    if members != 0 {
      clientBug(
        "a DispatchGroup was released with \(counted(members, "member")) left: call leave() as often "
          + "as enter() before the last reference goes away.")
    }
  }

  public override var description: String { "<DispatchGroup, members: \(core.members)>" }

  /// Counts one more task under way.
  @inlinable
  public final func enter() {
    Probe.groupEntered(address)
    if !core.enter() { enteredTooOften() }
  }

  @inline(never) @usableFromInline
  func enteredTooOften() -> Never {
    clientBug("a DispatchGroup was entered more than a billion times.")
  }

  /// Counts the end of one task.
  @inlinable
  public final func leave() {
    Probe.groupLeft(address)
    if core.leave() == .wasEmpty { leftTooOften() }
  }

  @inline(never) @usableFromInline
  func leftTooOften() -> Never {
    clientBug("leave() on an empty DispatchGroup: each leave() needs an enter() before it.")
  }

  /// Waits until the group is empty.
  ///
  /// If an item of the group waits for this thread, or is behind it in a queue, the wait would
  /// never end. The call then traps with a message that names all threads involved.
  public final func wait() {
    _ = core.wait(until: .never, for: .group, on: resource)
  }

  /// Waits until the group is empty, at most until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    core.wait(until: timeout.deadline, for: .group, on: resource)
  }

  /// Waits until the group is empty, at most until `timeout` by the wall clock.
  public final func wait(wallTimeout timeout: DispatchWallTime) -> DispatchTimeoutResult {
    core.wait(until: timeout.deadline, for: .group, on: resource)
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
      need: { raw, _ in .each(of: raw, ThreadStack.workTest) }, place: { $0.place })
  }
}
