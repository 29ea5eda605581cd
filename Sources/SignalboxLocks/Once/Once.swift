// Once — a body that runs exactly once. See `OnceState`.

public import SignalboxRuntime

/// Runs a body exactly once, however many threads call it.
///
/// ```swift
/// let opened = Once()
/// func use() {
///   opened.perform { open() }
///   …
/// }
/// ```
///
/// Any thread may use it. A thread that calls it while the body runs waits until the body has
/// ended; a later call costs one load and sees all effects of the body. For a value, prefer
/// ``Lazy`` or a `static let`. A body that calls its own object again, or waits for a thread that
/// waits for the body, is a deadlock and traps as one.
///
/// *Beyond Apple's API.* It is `DispatchOnce` for programs that use only the locks.
public final class Once: Sendable {
  @usableFromInline let state = OnceState()

  /// Creates an object whose body has not run yet.
  public init() {}

  /// Whether the body has run.
  @inlinable
  public var isDone: Bool { state.isDone }

  /// Runs `body` if no earlier call has, or waits until the body of the earlier call has ended.
  ///
  /// If the body throws, it does not count as run: a waiting thread, or the next caller, runs its
  /// own body. A call from within the body traps.
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
    state.begin(
      "Once.perform(_:)",
      for: WaitResource(
        // SAFETY: a waiting thread holds a reference.
        object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
        describe: { _ in "a Once" },
        need: { raw, _ in
          // SAFETY: a waiting thread holds a reference.
          Unmanaged<Once>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
        }, place: { $0.place }, view: state.view("a Once")))
  }
}
