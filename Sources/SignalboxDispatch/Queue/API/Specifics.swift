// Specifics — the values that a queue carries for its users, by key.
//
// They form a chain of objects, one for each key. A one-word filter has a bit set for the hash of
// each key in the chain. A reader whose key's bit is not set is done after one load. Any other
// reader holds the lock while it walks the chain and copies the value.
//
// Invariants  I1  the bit of every key in the chain is set.
//             I2  the thread that removes a value from the chain frees it after releasing the
//                 lock; readers have their copies by then.
// Rejected    readers without a lock: a value would have to outlive every reader that may still
//             look at it, and ensuring this would cost a reader as much as the lock.

public import SignalboxRuntime
public import Synchronization

@frozen @usableFromInline
struct Specifics: ~Copyable {
  /// A bit for each key. Written under the lock. A thread that knows of a value sees its bit,
  /// because the word never loses that bit while the value exists.
  @usableFromInline let filter = SingleWriter<UInt32>(0)
  @usableFromInline let lock = EngineLock()
  /// The chain. Read and written under the lock, or when the queue's last reference is gone.
  @usableFromInline let head = SingleWriter<Unmanaged<SpecificValue>?>(nil)

  init() {}

  deinit {
    var next = head.load()
    while let current = next {
      // SAFETY: retained by `replace`.
      let value = current.takeRetainedValue()
      next = value.next.load()
    }
  }

  // MARK: Reading

  /// Whether `key` may be in the chain.
  @inlinable @inline(__always)
  borrowing func mayHold(_ key: UnsafeRawPointer) -> Bool {
    filter.load() & Specifics.bit(of: key) != 0
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
      // The key, whose own type was checked, guarantees the type.
      unsafeDowncast($0, to: TypedSpecificValue<T>.self).value
    }
  }

  /// The object in the chain for `key`. The caller holds the lock.
  @inlinable @inline(__always)
  borrowing func find(_ key: UnsafeRawPointer) -> Unmanaged<SpecificValue>? {
    var next = head.load()
    while let current = next {
      let (address, following) = current._withUnsafeGuaranteedRef {
        ($0.address, $0.next.load())
      }
      if address == key { return current }
      next = following
    }
    return nil
  }

  // MARK: Changing

  /// Replaces the value of `key` with `new`; if `new` is nil, only removes the value.
  ///
  /// - Returns: the old value, for the caller to free.
  borrowing func replace(_ key: UnsafeRawPointer, by new: SpecificValue?) -> SpecificValue? {
    lock.lock()
    defer { lock.unlock() }
    let old = takeOut(key)
    if let new { insert(new) }
    filter.store(bits)
    return old
  }

  /// The value of `key`, or else the result of `make`, which becomes the value. `make` runs
  /// without the lock; its result is dropped if another thread inserts a value first.
  borrowing func value(
    of key: UnsafeRawPointer, orInsert make: () -> SpecificValue
  ) -> SpecificValue {
    // SAFETY: the chain retains the objects in it.
    if let old = lock.withLock({ find(key)?.takeUnretainedValue() }) { return old }
    let new = make()
    lock.lock()
    defer { lock.unlock() }
    // SAFETY: the chain retains the objects in it.
    if let old = find(key) { return old.takeUnretainedValue() }
    insert(new)
    filter.store(bits)
    return new
  }

  private borrowing func insert(_ new: SpecificValue) {
    new.next.store(head.load())
    // SAFETY: released by `takeOut` or `deinit`.
    head.store(Unmanaged.passRetained(new))
  }

  private borrowing func takeOut(_ key: UnsafeRawPointer) -> SpecificValue? {
    var previous: SpecificValue?
    var next = head.load()
    while let current = next {
      // SAFETY: the chain retains the objects in it.
      let value = current.takeUnretainedValue()
      next = value.next.load()
      guard value.address == key else {
        previous = value
        continue
      }
      if let previous {
        previous.next.store(next)
      } else {
        head.store(next)
      }
      return current.takeRetainedValue()  // SAFETY: `insert` retained it.
    }
    return nil
  }

  // MARK: Filter

  /// The bits of all keys in the chain.
  private var bits: UInt32 {
    var bits: UInt32 = 0
    var next = head.load()
    while let current = next {
      // SAFETY: the chain retains the objects in it.
      next = current._withUnsafeGuaranteedRef { value in
        bits |= Specifics.bit(of: value.address)
        return value.next.load()
      }
    }
    return bits
  }

  /// The bit of a key's hash. Objects have addresses that are multiples of 16.
  @inlinable @inline(__always)
  static func bit(of key: UnsafeRawPointer) -> UInt32 {
    let number = UInt(bitPattern: key)
    return 1 << UInt32(truncatingIfNeeded: (number >> 4 ^ number >> 9) & 31)
  }
}

/// The part of a value in the chain that does not depend on its type.
@usableFromInline
class SpecificValue {
  /// Retained, so that no other key can get the same address. nil if C code chose the address.
  private let key: AnyObject?
  /// The address of the key.
  @usableFromInline let address: UnsafeRawPointer
  /// See `Specifics.head`.
  @usableFromInline let next = SingleWriter<Unmanaged<SpecificValue>?>(nil)

  @usableFromInline
  init(key: AnyObject) {
    self.key = key
    // SAFETY: only compared, never followed.
    address = UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
  }

  init(address: UnsafeRawPointer) {
    key = nil
    self.address = address
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
