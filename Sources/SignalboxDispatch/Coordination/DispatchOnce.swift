// DispatchOnce — a body that runs exactly once. See `OnceState`.

public import SignalboxRuntime

/// Runs a body exactly once, however many threads ask.
///
/// ```swift
/// let once = DispatchOnce()
/// once.perform { print("only the first time") }
/// ```
///
/// A `static let` does the same for a value and is what new code mostly wants.
/// *Beyond Apple's API*: it stands for `dispatch_once`, which Swift hides.
public final class DispatchOnce: Sendable {
  @usableFromInline let state = OnceState()

  /// One that has not run yet.
  public init() {}

  /// Runs `body` if no call has yet; else waits until that call's body has
  /// ended. Calling it from within its own body traps.
  ///
  /// If the body throws, it counts as not run: a thread that waited, or the
  /// next to come, runs its own.
  @inlinable
  public func perform(_ body: () throws -> Void) rethrows {
    // SAFETY: an address to compare, not to follow.
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
      // SAFETY: whoever waits holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "a DispatchOnce" },
      need: { raw, _ in
        // SAFETY: whoever waits holds a reference.
        Unmanaged<DispatchOnce>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
      }, place: { $0.place })
  }
}
