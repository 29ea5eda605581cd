// Specifics — the values that a queue carries for its users, by key.
//
// A chain of objects, one for each key, and a filter in one word: a bit for each
// hash of a key that is in the chain. A reader whose bit is not set is done after
// one load; another one takes the lock for as long as it walks the chain and
// copies the value.
//
// Touching    `filter`: any thread, atomically; changed under the lock. `head`,
//             the chain: under the lock.
// Invariants  I1  a key in the chain has its bit set.
//             I2  a value is freed by whoever took it out of the chain, after the
//                 lock; a reader has its copy by then.
// Rejected    readers without a lock: a value would have to outlive whoever may
//             still look at it, which costs a reader as much as the lock does.

public import SignalboxRuntime
public import Synchronization

@frozen @usableFromInline
struct Specifics: ~Copyable {
  @usableFromInline let filter = Atomic<UInt32>(0)
  @usableFromInline let lock = EngineLock()
  @usableFromInline let head = Atomic<Unmanaged<SpecificValue>?>(nil)

  init() {}

  deinit {
    var next = head.load(ordering: .relaxed)  // order: relaxed; the queue's last reference is gone.
    while let current = next {
      // SAFETY: retained by `replace`.
      let value = current.takeRetainedValue()
      next = value.next.load(ordering: .relaxed)  // order: relaxed; as above.
    }
  }

  // MARK: Reading

  /// Whether `key` may be in the chain.
  @inlinable @inline(__always)
  borrowing func mayHold(_ key: UnsafeRawPointer) -> Bool {
    // order: relaxed; who was told of a value sees its bit, as the only word that
    // says so never loses it meanwhile. The lock orders the rest.
    filter.load(ordering: .relaxed) & Specifics.bit(of: key) != 0
  }

  /// The value of `key`, copied under the lock.
  @inlinable
  borrowing func value<T>(of key: DispatchSpecificKey<T>) -> T? {
    mayHold(key.address) ? lookUp(key) : nil
  }

  @inlinable
  borrowing func lookUp<T>(_ key: DispatchSpecificKey<T>) -> T? {
    lock.lock()
    defer { lock.unlock() }
    return find(key.address)?._withUnsafeGuaranteedRef {
      // Its key says so, whose own type was looked at.
      unsafeDowncast($0, to: TypedSpecificValue<T>.self).value
    }
  }

  /// What the chain holds for `key`. Under the lock.
  @inlinable @inline(__always)
  borrowing func find(_ key: UnsafeRawPointer) -> Unmanaged<SpecificValue>? {
    var next = head.load(ordering: .relaxed)  // order: relaxed; under the lock.
    while let current = next {
      let (address, following) = current._withUnsafeGuaranteedRef {
        ($0.address, $0.next.load(ordering: .relaxed))  // order: relaxed; under the lock.
      }
      if address == key { return current }
      next = following
    }
    return nil
  }

  // MARK: Changing

  /// Puts `new` in the place of the value with the same key; without one, only
  /// takes that out.
  ///
  /// - Returns: the value that was there, for the caller to free.
  borrowing func replace(_ key: UnsafeRawPointer, by new: SpecificValue?) -> SpecificValue? {
    lock.lock()
    defer { lock.unlock() }
    let old = takeOut(key)
    if let new { insert(new) }
    filter.store(bits, ordering: .relaxed)  // order: relaxed; see `mayHold`.
    return old
  }

  /// The value of `key`, or else what `make` gives, which then becomes it. It is made
  /// without the lock, and for nothing if another thread was faster.
  borrowing func value(
    of key: UnsafeRawPointer, orInsert make: () -> SpecificValue
  ) -> SpecificValue {
    // SAFETY: what is in the chain is retained by it.
    if let old = lock.withLock({ find(key)?.takeUnretainedValue() }) { return old }
    let new = make()
    lock.lock()
    defer { lock.unlock() }
    // SAFETY: what is in the chain is retained by it.
    if let old = find(key) { return old.takeUnretainedValue() }
    insert(new)
    filter.store(bits, ordering: .relaxed)  // order: relaxed; see `mayHold`.
    return new
  }

  private borrowing func insert(_ new: SpecificValue) {
    // order: relaxed; under the lock.
    new.next.store(head.load(ordering: .relaxed), ordering: .relaxed)
    // SAFETY: released by `takeOut` or `deinit`.
    head.store(Unmanaged.passRetained(new), ordering: .relaxed)  // order: relaxed; under the lock.
  }

  private borrowing func takeOut(_ key: UnsafeRawPointer) -> SpecificValue? {
    var previous: SpecificValue?
    var next = head.load(ordering: .relaxed)  // order: relaxed; under the lock.
    while let current = next {
      // SAFETY: what is in the chain is retained by it.
      let value = current.takeUnretainedValue()
      next = value.next.load(ordering: .relaxed)  // order: relaxed; under the lock.
      guard value.address == key else {
        previous = value
        continue
      }
      if let previous {
        previous.next.store(next, ordering: .relaxed)  // order: relaxed; under the lock.
      } else {
        head.store(next, ordering: .relaxed)  // order: relaxed; under the lock.
      }
      return current.takeRetainedValue()  // SAFETY: retained when it was put in.
    }
    return nil
  }

  // MARK: Filter

  /// The bits of all keys in the chain.
  private var bits: UInt32 {
    var bits: UInt32 = 0
    var next = head.load(ordering: .relaxed)  // order: relaxed; under the lock.
    while let current = next {
      // SAFETY: what is in the chain is retained by it.
      next = current._withUnsafeGuaranteedRef { value in
        bits |= Specifics.bit(of: value.address)
        return value.next.load(ordering: .relaxed)  // order: relaxed; under the lock.
      }
    }
    return bits
  }

  /// Objects lie at multiples of 16 bytes.
  @inlinable @inline(__always)
  static func bit(of key: UnsafeRawPointer) -> UInt32 {
    let number = UInt(bitPattern: key)
    return 1 << UInt32(truncatingIfNeeded: (number >> 4 ^ number >> 9) & 31)
  }
}

/// One value in the chain, behind what does not depend on its type.
@usableFromInline
class SpecificValue {
  /// Kept: no other key can come to lie where this one does.
  private let key: AnyObject
  /// Where the key lies.
  @usableFromInline let address: UnsafeRawPointer
  @usableFromInline let next = Atomic<Unmanaged<SpecificValue>?>(nil)

  @usableFromInline
  init(key: AnyObject) {
    self.key = key
    // SAFETY: compared, not followed.
    address = UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
  }
}

@usableFromInline
final class TypedSpecificValue<T>: SpecificValue {
  @usableFromInline let value: T

  @inlinable
  init(_ key: DispatchSpecificKey<T>, _ value: T) {
    self.value = value
    super.init(key: key)
  }
}
