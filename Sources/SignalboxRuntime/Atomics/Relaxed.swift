// Relaxed — a value that any thread reads and writes, and that orders no other memory.
//
// A thread may read an old value, and the value tells it nothing about other memory. The field's
// comment says who writes it, and why an old value does no harm. If a value takes part in an edge,
// it is an `Atomic`, and each access has its note. If one thread at a time writes it, it is a
// `SingleWriter`.
//
// Ordering    none: every access is relaxed.

public import Synchronization

@usableFromInline
package struct Relaxed<Value: AtomicRepresentable>: ~Copyable {
  @usableFromInline let word: Atomic<Value>

  @inlinable @_transparent
  package init(_ value: consuming Value) { word = Atomic(value) }
}

extension Relaxed: Sendable where Value: Sendable {}

// MARK: Each size

extension Relaxed where Value.AtomicRepresentation == UInt8.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }

  @inlinable @_transparent
  package func exchange(_ value: consuming Value) -> Value {
    word.exchange(value, ordering: .relaxed)
  }

  /// Stores `desired` if the value is `expected`.
  @inlinable @_transparent
  package func compareExchange(
    expected: consuming Value, desired: consuming Value
  ) -> (exchanged: Bool, original: Value) {
    word.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
  }
}

extension Relaxed where Value.AtomicRepresentation == UInt32.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }

  @inlinable @_transparent
  package func exchange(_ value: consuming Value) -> Value {
    word.exchange(value, ordering: .relaxed)
  }

  /// Stores `desired` if the value is `expected`.
  @inlinable @_transparent
  package func compareExchange(
    expected: consuming Value, desired: consuming Value
  ) -> (exchanged: Bool, original: Value) {
    word.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
  }
}

extension Relaxed where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }

  @inlinable @_transparent
  package func exchange(_ value: consuming Value) -> Value {
    word.exchange(value, ordering: .relaxed)
  }

  /// Stores `desired` if the value is `expected`.
  @inlinable @_transparent
  package func compareExchange(
    expected: consuming Value, desired: consuming Value
  ) -> (exchanged: Bool, original: Value) {
    word.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
  }
}

// MARK: Flags, bits and counts

extension Relaxed<Bool> {
  /// Sets the flag. Returns whether this call changed it. That is true for one thread only.
  @inlinable @_transparent
  package func setFirst() -> Bool { !exchange(true) }
}

extension Relaxed<UInt32> {
  /// Sets bits. Returns those that were set before.
  @inlinable @_transparent @discardableResult
  package func set(_ bits: UInt32) -> UInt32 { word.bitwiseOr(bits, ordering: .relaxed).oldValue }

  @inlinable @_transparent
  package func clear(_ bits: UInt32) { word.bitwiseAnd(~bits, ordering: .relaxed) }

  /// Adds a number, and wraps around.
  @inlinable @_transparent
  package func add(_ difference: UInt32) { word.wrappingAdd(difference, ordering: .relaxed) }
}

extension Relaxed<UInt64> {
  /// Adds a number, and wraps around. Returns the value before.
  @inlinable @_transparent @discardableResult
  package func add(_ difference: UInt64) -> UInt64 {
    word.wrappingAdd(difference, ordering: .relaxed).oldValue
  }

  /// Makes the value at least this large.
  @inlinable
  package func raise(to least: UInt64) {
    var known = load()
    while known < least {
      let (raised, now) = compareExchange(expected: known, desired: least)
      if raised { return }
      known = now
    }
  }
}

extension Relaxed<Int> {
  /// Adds a number, and wraps around. Returns the value before.
  @inlinable @_transparent @discardableResult
  package func add(_ difference: Int) -> Int {
    word.wrappingAdd(difference, ordering: .relaxed).oldValue
  }
}
