// Lazy — a value that is made when it is first asked for. See `OnceState`.
//
// States      not made → made: `state`.
// Touching    `storage`, `make`: by the thread that makes the value, while it does;
//             afterwards `storage` is only read, and `make` is nil.
// Ordering    ON1: whoever finds the value made sees it.
// Sources     D. Schmidt, T. Harrison, "Double-Checked Locking" (1996), with the look
//             before the lock ordered, as it was not there.

public import SignalboxRuntime

/// A value that is made when it is first asked for, once, by whichever thread comes first.
///
/// ```swift
/// let table = Lazy { makeTable() }
/// let entry = table.value[key]
/// ```
///
/// Any thread. Threads that come while the value is made wait for it; from then on
/// ``value`` costs one load and a branch. This is double-checked locking, and right. Where
/// the value belongs to a type or to the program, a `static let` or a global does the same
/// without an object. Making it must not ask for it: that is a deadlock and traps as one.
///
/// *Beyond Apple's API.*
public final class Lazy<Value> {
  @usableFromInline let state = OnceState()
  // SAFETY: written once, by the thread that `state` chooses, and read after that.
  @usableFromInline let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  // SAFETY: as `storage`.
  private nonisolated(unsafe) var make: (@Sendable () -> Value)?

  /// - Parameter make: makes the value. It is released, with what it holds, as soon as it
  ///   has.
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

  /// The value, which is made first if nobody has asked for it before.
  @inlinable
  public var value: Value {
    if !state.isDone { makeValue() }
    return storage.pointee
  }

  @inline(never) @usableFromInline
  func makeValue() {
    guard state.begin("Lazy.value", for: resource) else { return }
    guard let make else { internalBug("the value of a Lazy is to be made twice") }
    storage.initialize(to: make())
    self.make = nil
    state.end(true)
    // What it held is let go when others can have the value: it may ask for it.
    withExtendedLifetime(make) {}
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: whoever waits holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "a Lazy" },
      need: { raw, _ in
        // SAFETY: whoever waits holds a reference; the state does not depend on Value.
        Unmanaged<Lazy<Value>>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.state.need }
      }, place: { $0.place })
  }
}

// SAFETY: `state` gives the value from the thread that makes it to all others, which may
// have it at the same time.
extension Lazy: @unchecked Sendable where Value: Sendable {}
