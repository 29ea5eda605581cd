// DispatchData — bytes that are shared instead of copied, in one piece or several.
//
// States      empty: no owner. One piece: `base` and its owner. Several: the owner is a
//             `DataRope` and `base` is nil.
// Touching    a value; the objects that it refers to are immutable while another value can see
//             them.

import SignalboxRuntime

/// Immutable bytes, in one stretch of memory or in several that look like one.
///
/// Copies, slices and concatenations share the bytes; none of them copies large data.
///
/// ```swift
/// var message = DispatchData(bytes: header)          // copied
/// message.append(body)                               // a DispatchData: shared
/// message.enumerateBytes { bytes, start, stop in
///   send(bytes)                                      // piece by piece, as they lie
/// }
/// ```
///
/// You may pass a value to any thread, and several threads may read it at once. Copying a value
/// increments one reference count. Looking up a byte takes constant time in a single piece, and
/// otherwise time logarithmic in the number of pieces.
///
/// **What stays in memory.** The bytes of a piece stay as long as any value contains part of them.
/// A slice of at most 128 bytes from a single piece of 64 KiB or more is copied instead, so that a
/// small slice does not keep a large piece alive. Memory with a ``Deallocator`` is never copied
/// that way; the deallocator runs when the last value with a part of the memory is gone. To keep
/// only a part of such memory, copy it.
///
/// *Differences* from Apple: an index or a range outside the data ends the process with a
/// message, in every call and in release builds too. Small appends are gathered in larger pieces.
/// ``withUnsafeBytes(body:)`` keeps the contiguous copy that it makes.
///
/// Source: Apple's documentation of `DispatchData`.
@frozen
public struct DispatchData {
  @usableFromInline var owner: AnyObject?
  @usableFromInline var base: UnsafeRawPointer?
  @usableFromInline var length: Int

  @inlinable @inline(__always)
  init(_owner owner: AnyObject?, _ base: UnsafeRawPointer?, _ count: Int) {
    self.owner = owner
    self.base = base
    length = count
  }

  /// The number of bytes.
  @inlinable public var count: Int { length }

  /// Data without bytes.
  public static var empty: DispatchData { Self(_owner: nil, nil, 0) }

  /// How to free memory that was passed without a copy, once no value needs it.
  public enum Deallocator {
    /// The memory came from `malloc`; it is passed to `free`.
    case free
    /// The memory came from `mmap`; it is passed to `munmap`.
    case unmap
    /// The closure is submitted once, to the queue, or to the global queue of the default class
    /// if the queue is nil.
    case custom(DispatchQueue?, () -> Void)
  }

  // MARK: Making

  /// Creates data with a copy of the bytes.
  public init(bytes buffer: UnsafeRawBufferPointer) {
    guard let base = buffer.baseAddress, buffer.count > 0 else {
      self = .empty
      return
    }
    self.init(DataBuffer.piece(base, buffer.count, room: 0))
  }

  /// Creates data from the bytes themselves, which must not change from here on.
  ///
  /// If there are no bytes, the deallocator is used at once.
  ///
  /// - Parameters:
  ///   - bytes: the memory, which belongs to the data from here on.
  ///   - deallocator: how to free the memory when the last value with a part of it is gone. That
  ///     may happen on any thread; a custom deallocator runs on its queue.
  public init(
    bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: DispatchData.Deallocator = .free
  ) {
    self.init(bytesNoCopy: bytes, destructor: DataDestructor(deallocator))
  }

  /// The same with any way to free the memory.
  package init(bytesNoCopy bytes: UnsafeRawBufferPointer, destructor: DataDestructor) {
    let owner = ForeignBytes(bytes, destructor)
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      self = .empty
      return
    }
    self.init(_owner: owner, base, bytes.count)
  }

  /// Creates data from bytes that live as long as `owner`, without a copy or an allocation. The
  /// object is released with the last value that contains part of them.
  @inlinable
  package init(owner: AnyObject, bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      self = .empty
      return
    }
    self.init(_owner: owner, base, bytes.count)
  }

  @inline(__always)
  init(_ piece: DataPiece) { self.init(_owner: piece.owner, piece.base, piece.count) }

  init(_ rope: DataRope) { self.init(_owner: rope, nil, rope.count) }

  // MARK: What it is made of

  /// The piece, if the data has exactly one.
  @inline(__always)
  var piece: DataPiece? {
    guard let base, let owner else { return nil }
    return DataPiece(owner: owner, base: base, count: count)
  }

  /// The rope, if the data has several pieces.
  @inline(__always)
  var rope: DataRope? {
    guard base == nil, let owner else { return nil }
    return unsafeDowncast(owner, to: DataRope.self)
  }
}

/// The referenced objects are immutable or atomic. The closure of a custom deallocator crosses
/// threads like any closure of a queue.
// SAFETY: see Touching.
extension DispatchData: @unchecked Sendable {}
