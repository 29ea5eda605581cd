// Lazy — a value that is made at first use. See `OnceState`.
//
// States      not made → made: `state`.
// Touching    `storage`, `make`: the thread that makes the value, while it does; after that,
//             `storage` is only read and `make` is nil.
// Ordering    ON1: a thread that finds `state` done also sees the value.
// Sources     D. Schmidt, T. Harrison, "Double-Checked Locking" (1996); here, unlike there, the
//             check before the lock is ordered.

public import SignalboxRuntime

/// A value that is made once, by the first thread that uses it.
///
/// ```swift
/// let table = Lazy { makeTable() }
/// let entry = table.value[key]
/// ```
///
/// Any thread may use it. Other threads that need the value in the meantime wait for it; from
/// then on ``value`` costs one load and a branch. This is double-checked locking, done right. For
/// a value that belongs to a type or to the whole program, a `static let` or a global does the same
/// without an object. The closure must not ask for the value: that is a deadlock and traps as one.
/// *Beyond Apple's API.*
public final class Lazy<Value> {
  @usableFromInline let state = OnceState()
  // SAFETY: written once, by the thread that `state` selects, and read after that.
  @usableFromInline let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  // SAFETY: written once, by the thread that `state` selects.
  private nonisolated(unsafe) var make: (@Sendable () -> Value)?

  /// Creates a lazy value.
  ///
  /// - Parameter make: makes the value. The closure and its captures are released as soon as it
  ///   has returned.
  public init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
  }

  deinit {
    if state.isDone { storage.deinitialize(count: 1) }
    storage.deallocate()
  }

  /// Whether the value has been made.
  @inlinable
  public var isMade: Bool { state.isDone }

  /// The value. The first access makes it.
  @inlinable
  public var value: Value {
    if !state.isDone { makeValue() }
    return storage.pointee
  }

  @inline(never) @usableFromInline
  func makeValue() {
    guard state.begin("Lazy.value", for: resource) else { return }
    guard let make else { internalBug("the value of a Lazy would be created twice") }
    storage.initialize(to: make())
    self.make = nil
    state.end(true)
    // Release the captures only now that other threads can get the value: code that runs when a
    // capture is freed may use it.
    withExtendedLifetime(make) {}
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: a waiting thread holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "a Lazy" },
      need: { raw, _ in
        // SAFETY: a waiting thread holds a reference; the state does not depend on `Value`.
        Unmanaged<Lazy<Value>>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
      }, place: { $0.place }, view: state.view("a Lazy"))
  }
}

// SAFETY: `state` passes the value from the thread that makes it to all others, which may use it
// at the same time.
extension Lazy: @unchecked Sendable where Value: Sendable {}
