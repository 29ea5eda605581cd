// DispatchSource — a source as the program holds it.
//
// It is only a face: the driver and the queue keep the core behind it as long as they
// need it, and not the face. So a source whose last reference goes away falls silent,
// whatever it is registered with.

import SignalboxRuntime

/// Something that calls a handler when an event of the system comes: a time, a
/// descriptor that can be read, a signal, the end of a process.
///
/// It is made by one of the class's methods, which give it as the protocol of its kind.
///
/// ```swift
/// let timer = DispatchSource.makeTimerSource(queue: .main)
/// timer.setEventHandler { print("a second has passed") }
/// timer.schedule(deadline: .now() + 1, repeating: 1)
/// timer.resume()
/// ```
///
/// Keep a reference to it: a source whose last reference goes away is silent from then
/// on. Its cancel handler is called if it was cancelled before. Releasing one that is
/// inactive or suspended traps.
///
/// A source that the system refuses to register, because its descriptor is closed, say,
/// tells so on standard error and is cancelled: its cancel handler is called.
///
/// Source: Apple's documentation of `DispatchSource`.
public class DispatchSource: DispatchObject, @unchecked Sendable {
  // SAFETY: the core is; retained until the end. To count that reference for each use of it
  // would cost more than most of them.
  final let kept: Unmanaged<SourceCore>

  final var core: SourceCore { kept.takeUnretainedValue() }  // SAFETY: see `kept`.

  init(_ core: consuming SourceCore) {
    kept = .passRetained(core)
    super.init()
  }

  deinit {
    kept._withUnsafeGuaranteedRef { core in
      let last = core.state.snapshot
      if last.isHalted { checkRelease(last) }
      if attachment.isSet { attachment.finish(on: core.target.queue) }
      core.abandon()
    }
    kept.release()  // SAFETY: see `kept`.
  }

  private func checkRelease(_ last: SourceState.Snapshot) {
    if last.suspensions > 0 {
      clientBug(
        "the \(name) was released while suspended: call resume() as often as suspend() before the "
          + "last reference goes away.")
    }
    clientBug(
      "the \(name) was released while inactive: call activate() or resume() before the last "
        + "reference goes away, even if it is cancelled.")
  }

  /// What it is and where it runs, for messages.
  private var name: String { "\(core.kindName) on the queue \(core.target.queue.quotedLabel)" }

  public override var description: String { "<DispatchSource: \(name)>" }

  // MARK: Target

  /// Makes `queue` the one on which the handlers run, from the next call on.
  public override func setTarget(queue: DispatchQueue) { core.target.replace(by: queue) }

  // MARK: Halting

  /// Lets a source that was made begin to watch for events; nothing on an active one.
  public override func activate() { _ = kept._withUnsafeGuaranteedRef { $0.activate() } }

  /// As the protocol says.
  @inline(__always)
  final func end() { kept._withUnsafeGuaranteedRef { $0.cancel(keeping: self) } }

  /// Keeps the source from calling its handlers until ``resume()`` was called as often.
  ///
  /// A handler that is running runs to its end. Events fall together meanwhile.
  public override func suspend() {
    if !kept._withUnsafeGuaranteedRef({ $0.suspend() }) {
      clientBug("the \(name) was suspended more than 2147483648 times without resume().")
    }
  }

  /// Takes back one ``suspend()``; if there is none, begins to watch as ``activate()``
  /// does. Traps if the source is active and not suspended.
  public override func resume() {
    if kept._withUnsafeGuaranteedRef({ $0.resume() }) { return }
    if kept._withUnsafeGuaranteedRef({ $0.activate() }) { return }
    clientBug(
      "resume() on the \(name), which is neither inactive nor suspended: each resume() needs a "
        + "suspend() before it.")
  }
}
