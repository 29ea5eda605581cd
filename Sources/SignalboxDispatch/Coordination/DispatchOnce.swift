// DispatchOnce — a body that runs exactly once. See `OnceState`.

public import SignalboxRuntime

/// Runs a body exactly once, however many threads call it.
///
/// ```swift
/// let once = DispatchOnce()
/// once.perform { print("only the first time") }
/// ```
///
/// A `static let` does the same for a value, and is usually the better choice in
/// new code. *Beyond Apple's API*: it replaces `dispatch_once`, which Swift does
/// not import.
public final class DispatchOnce: Sendable {
  @usableFromInline let state = OnceState()

  /// Creates an object whose body has not run yet.
  public init() {}

  /// Runs `body` if no earlier call has, or waits until the body of the earlier call has ended. A
  /// call inside the body traps.
  ///
  /// If the body throws, it does not count as run: a waiting thread, or the next caller, runs its
  /// own body.
  @inlinable
  public func perform(_ body: () throws -> Void) rethrows {
    // SAFETY: only compared, never followed.
    Probe.onceAsked(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    if state.isDone { return }
    guard begin() else { return }
    var finished = false
    defer { state.end(finished) }
    try body()
    finished = true
  }

  @inline(never) @usableFromInline
  func begin() -> Bool {
    state.begin("DispatchOnce.perform(_:)", for: resource)
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: a waiting thread holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "a DispatchOnce" },
      need: { raw, _ in
        // SAFETY: a waiting thread holds a reference.
        Unmanaged<DispatchOnce>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
      }, place: { $0.place }, view: state.view("a DispatchOnce"))
  }
}
