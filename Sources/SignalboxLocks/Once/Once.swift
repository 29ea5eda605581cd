// Once — a body that runs exactly once. See `OnceState`.

public import SignalboxRuntime

/// Runs a body exactly once, however many threads ask.
///
/// ```swift
/// let opened = Once()
/// func use() {
///   opened.perform { open() }
///   …
/// }
/// ```
///
/// Any thread. A thread that comes while the body runs waits for its end; one that comes
/// later pays one look, and sees all that the body did. For a value, ``Lazy`` or a
/// `static let` says more. A body that asks its own once again, or waits for a thread that
/// waits for it, is a deadlock and traps as one.
///
/// *Beyond Apple's API.* It is `DispatchOnce` for programs that use the locks alone.
public final class Once: Sendable {
  @usableFromInline let state = OnceState()

  /// One that has not run yet.
  public init() {}

  /// Whether the body has run.
  @inlinable
  public var isDone: Bool { state.isDone }

  /// Runs `body` if no call's body has ended yet; else, or if one runs, returns when that
  /// has ended.
  ///
  /// If the body throws, it counts as not run: a thread that waited, or the next to come,
  /// runs its own. Traps if it is called from within its own body.
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
    state.begin(
      "Once.perform(_:)",
      for: WaitResource(
        // SAFETY: whoever waits holds a reference.
        object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        describe: { _ in "a Once" },
        need: { raw, _ in
          // SAFETY: whoever waits holds a reference.
          Unmanaged<Once>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
        }, place: { $0.place }))
  }
}
