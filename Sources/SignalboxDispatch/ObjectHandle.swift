// ObjectHandle — what the C interface of Dispatch knows about an object: its kind, and the
// references that C code holds.
//
// C code names an object by its address. Before the C interface uses an address, it reads the
// kind there. The kind of a freed object says that it is freed, until its memory is used again.
//
// C references are counted apart from Swift references. The first C reference retains the object
// for Swift, and the last one releases it. If both were one count, an extra release by C code would
// release the reference that the engine holds while an item is pending. The program would then fail
// later, in other code.
//
// Touching    `kind`: the thread that makes the object, then the one that frees it. `references`:
//             any thread, atomically.
// Ordering    OH1  each release by C code (releasing) → the last one (acquiring), which releases
//                  the Swift reference: the object is freed after every use.

import SignalboxRuntime
import Synchronization

@usableFromInline
package struct ObjectHandle: ~Copyable {
  /// What an object is. The numbers are unlikely to occur in other memory.
  @frozen @usableFromInline
  package enum Kind: UInt32, Sendable {
    case queue = 0x5342_4F51
    case group = 0x5342_4F47
    case semaphore = 0x5342_4F53
    case source = 0x5342_4F45
    case channel = 0x5342_4F43
    case data = 0x5342_4F44
    case freed = 0x5342_4F46
  }

  /// The offset of the handle in an object: it is the first field, after the object header of
  /// Swift's runtime.
  @inlinable package static var offset: Int { 16 }

  /// What the object is. Written by the thread that frees it; until then it never changes.
  private let kind: Relaxed<UInt32>
  private let references = Atomic<UInt32>(0)

  init(_ kind: Kind) { self.kind = Relaxed(kind.rawValue) }

  /// Marks the object as freed.
  borrowing func end() { kind.store(Kind.freed.rawValue) }

  /// What kind of object is at this address; nil if it is not an object of Dispatch. It reads the
  /// memory there.
  @inlinable @inline(__always)
  package static func kind(at address: UnsafeRawPointer) -> Kind? {
    Kind(rawValue: address.load(fromByteOffset: offset, as: UInt32.self))
  }

  /// Whether the address is that of an object of this kind.
  @inlinable @inline(__always)
  package static func isKind(_ kind: Kind, at address: UnsafeRawPointer) -> Bool {
    address.load(fromByteOffset: offset, as: UInt32.self) == kind.rawValue
  }

  // MARK: References

  /// Counts one more C reference.
  ///
  /// - Returns: whether it is the first one; then the caller takes a Swift reference.
  package borrowing func retain() -> Bool {
    // order: relaxed; the caller holds a reference.
    references.wrappingAdd(1, ordering: .relaxed).oldValue == 0
  }

  package enum Released { case kept, last, none }

  /// Drops one C reference. After `last`, the caller releases the Swift reference; `none` means
  /// that there was no C reference to drop.
  package borrowing func release() -> Released {
    // order: relaxed; the compare-and-swap decides.
    var old = references.load(ordering: .relaxed)
    while old != 0 {
      let (exchanged, current) = references.weakCompareExchange(
        expected: old, desired: old - 1,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, OH1
        failureOrdering: .relaxed)
      if exchanged { return old == 1 ? .last : .kept }
      old = current
    }
    return .none
  }
}
