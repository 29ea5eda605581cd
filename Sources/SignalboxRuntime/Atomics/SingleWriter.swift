// SingleWriter — a value that one thread at a time writes, and any thread reads.
//
// The writer is one thread, or the holder of a lock; the field's comment says which. The writer
// reads the value that was written last. Another thread may read an old value, and the field's
// comment says why that does no harm. No two threads write at once, so `add` loses nothing although
// it is a load and a store.
//
// Ordering    none: every access is relaxed.
// Rejected    a property with a setter: ThreadSanitizer takes `pointer.pointee.field.value = 1` for
//             a change of everything that the pointer points to.

public import Synchronization

@usableFromInline
package struct SingleWriter<Value: AtomicRepresentable>: ~Copyable {
  @usableFromInline let word: Atomic<Value>

  @inlinable @_transparent
  package init(_ value: consuming Value) { word = Atomic(value) }
}

extension SingleWriter: Sendable where Value: Sendable {}

// MARK: Each size

extension SingleWriter where Value.AtomicRepresentation == UInt8.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }
}

extension SingleWriter where Value.AtomicRepresentation == UInt32.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }
}

extension SingleWriter where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
  @inlinable @_transparent
  package func load() -> Value { word.load(ordering: .relaxed) }

  @inlinable @_transparent
  package func store(_ value: consuming Value) { word.store(value, ordering: .relaxed) }
}

// MARK: Counts

extension SingleWriter<Int> {
  @inlinable @_transparent
  package func add(_ difference: Int) { store(load() + difference) }
}

extension SingleWriter<UInt32> {
  /// Adds 1, and wraps around.
  @inlinable @_transparent
  package func increment() { store(load() &+ 1) }
}

extension SingleWriter<UInt64> {
  /// Adds 1, and wraps around.
  @inlinable @_transparent
  package func increment() { store(load() &+ 1) }
}
