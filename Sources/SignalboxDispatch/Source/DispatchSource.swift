// DispatchSource — a source as the program holds it.
//
// It is only a handle, the *source object*. The driver and the queue retain the core behind the
// handle as long as they need it, but not the source object. So a source stops when the last
// reference to the source object goes away, even if the source is still registered.

import SignalboxRuntime

/// Calls a handler when a system event occurs: a timer fires, a descriptor becomes readable, a
/// signal arrives, or a process ends.
///
/// You create a source with one of the class methods, which return it as the protocol of its
/// kind.
///
/// ```swift
/// let timer = DispatchSource.makeTimerSource(queue: .main)
/// timer.setEventHandler { print("a second has passed") }
/// timer.schedule(deadline: .now() + 1, repeating: 1)
/// timer.resume()
/// ```
///
/// Keep a reference to a source: it stops when its last reference goes away. If it was cancelled
/// before, its cancel handler is still called. Releasing an inactive or suspended source traps.
///
/// If the system refuses to register a source, for example because its descriptor is closed, a
/// message on standard error says so and the source is cancelled: its cancel handler is called.
///
/// Source: Apple's documentation of `DispatchSource`.
public class DispatchSource: DispatchObject, @unchecked Sendable {
  // SAFETY: the core is thread-safe, and retained until the end. Counting that reference for each
  // use would cost more than most uses.
  final let kept: Unmanaged<SourceCore>

  final var core: SourceCore { kept.takeUnretainedValue() }  // SAFETY: see `kept`.

  init(_ core: consuming SourceCore) {
    kept = .passRetained(core)
    super.init(.source)
  }

  deinit {
    kept._withUnsafeGuaranteedRef { core in
      let last = core.state.snapshot
      if last.mustNotBeReleased { refuseRelease(last) }
      if attachment.isSet { attachment.finish(on: core.target.queue) }
      core.abandon()
    }
    kept.release()  // SAFETY: see `kept`.
  }

  private func refuseRelease(_ last: SourceState.Snapshot) -> Never {
    if last.suspensions > 0 {
      clientBug(
        "the \(name) was released while suspended: call resume() as often as suspend() before the "
          + "last reference goes away.")
    }
    if !last.isHalted {
      clientBug(
        "the \(name) was released without being cancelled, though it has a mandatory cancel "
          + "handler: cancel it before the last reference goes away.")
    }
    clientBug(
      "the \(name) was released while inactive: call activate() or resume() before the last "
        + "reference goes away, even if it is cancelled.")
  }

  /// Releases the last C reference. C code may use a source in its handlers without a reference, so
  /// the source exists until no handler runs or will run.
  package static func giveUp(_ source: Unmanaged<DispatchSource>) {
    source._withUnsafeGuaranteedRef { object in
      object.kept._withUnsafeGuaranteedRef { core in
        let last = core.state.snapshot
        if last.mustNotBeReleased { object.refuseRelease(last) }
        core.abandon(releasing: source)
      }
    }
  }

  /// The kind and the queue, for messages.
  private var name: String { "\(core.kindName) on the queue \(core.target.queue.quotedLabel)" }

  public override var description: String { "<DispatchSource: \(name)>" }

  // MARK: Target

  /// Makes the handlers run on `queue`, from the next call on.
  public override func setTarget(queue: DispatchQueue) { core.target.replace(by: queue) }

  // MARK: Halting

  /// Activates an inactive source, which then begins to watch for events. It does nothing on an
  /// active one.
  public override func activate() { _ = kept._withUnsafeGuaranteedRef { $0.activate() } }

  @inline(__always)
  final func end() { kept._withUnsafeGuaranteedRef { $0.cancel(keeping: self) } }

  /// Prevents the source from calling its handlers until you balance this call with
  /// ``resume()``.
  ///
  /// A running handler runs to its end. Events that occur in the meantime are
  /// combined.
  public override func suspend() {
    if !kept._withUnsafeGuaranteedRef({ $0.suspend() }) {
      clientBug("the \(name) was suspended more than 2147483648 times without resume().")
    }
  }

  /// Undoes one ``suspend()``, or activates an inactive source as ``activate()`` does. Traps if
  /// the source is active and not suspended.
  public override func resume() {
    if kept._withUnsafeGuaranteedRef({ $0.resume() }) { return }
    if kept._withUnsafeGuaranteedRef({ $0.activate() }) { return }
    clientBug(
      "resume() on the \(name), which is neither inactive nor suspended: each resume() needs a "
        + "suspend() before it.")
  }
}
