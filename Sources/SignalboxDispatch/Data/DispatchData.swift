// DispatchData — bytes that are shared, not copied, in one piece or in several.
//
// States      empty: no owner. One piece: `base` and its owner. Several: the owner is a
//             `DataRope` and `base` is nil.
// Touching    a value; what it refers to is immutable where another value can see it.

import SignalboxRuntime

/// Immutable bytes, in one stretch of memory or in several that look like one.
///
/// Copies, slices and concatenations share the bytes: none of them copies what was large.
///
/// ```swift
/// var message = DispatchData(bytes: header)          // copied
/// message.append(body)                               // a DispatchData: shared
/// message.enumerateBytes { bytes, start, stop in
///   send(bytes)                                      // piece by piece, as they lie
/// }
/// ```
///
/// A value may be handed to any thread and read by many at once. Copying one counts a
/// reference up; a byte at an index is found in the logarithm of the number of pieces,
/// and at once where there is one piece.
///
/// **What stays in memory.** The bytes of a piece stay as long as any value has a part of
/// them. A slice of at most 128 bytes out of data that is one piece of 64 KiB and more is
/// copied instead, so that a small one does not keep a large one; unless the memory has a
/// ``Deallocator``, which runs when the last value is gone that was made of it. To keep a
/// part of such memory alone, copy it.
///
/// *Differences* from Apple: an index or a range outside the data ends the process with
/// a sentence in every call, in release builds too. What is appended in small portions is
/// gathered in larger pieces. ``withUnsafeBytes(body:)`` remembers the contiguous copy
/// that it had to make.
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

  /// How many bytes there are.
  @inlinable public var count: Int { length }

  /// No bytes.
  public static let empty = DispatchData(_owner: nil, nil, 0)

  /// What becomes of memory that was handed over without a copy, when no value needs it
  /// any more.
  public enum Deallocator {
    /// It came from `malloc` and is given to `free`.
    case free
    /// It came from `mmap` and is given to `munmap`.
    case unmap
    /// The closure is submitted to the queue, or where there is none to the global one
    /// of default quality of service: once.
    case custom(DispatchQueue?, () -> Void)
  }

  // MARK: Making

  /// Makes data with a copy of the bytes.
  public init(bytes buffer: UnsafeRawBufferPointer) {
    guard let base = buffer.baseAddress, buffer.count > 0 else {
      self = .empty
      return
    }
    self.init(DataBuffer.piece(base, buffer.count, room: 0))
  }

  /// Makes data out of the bytes themselves, which must not change from here on.
  ///
  /// Of no bytes nothing is kept: the deallocator is used at once.
  ///
  /// - Parameters:
  ///   - bytes: the memory, which belongs to the data now.
  ///   - deallocator: how it is given back when the last value that has a part of it is
  ///     gone. On which thread that is, nobody can say; a custom one is run on its queue.
  public init(
    bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: DispatchData.Deallocator = .free
  ) {
    let owner = ForeignBytes(bytes, deallocator)
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      self = .empty
      return
    }
    self.init(_owner: owner, base, bytes.count)
  }

  /// Makes data out of bytes that live as long as an object: nothing is copied and
  /// nothing allocated. The object is released with the last value that has a part of
  /// them.
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

  /// Where it has one piece.
  @inline(__always)
  var piece: DataPiece? {
    guard let base, let owner else { return nil }
    return DataPiece(owner: owner, base: base, count: count)
  }

  /// Where it has several.
  @inline(__always)
  var rope: DataRope? {
    guard base == nil, let owner else { return nil }
    return unsafeDowncast(owner, to: DataRope.self)
  }
}

/// What it refers to is immutable, or atomic; a custom deallocator's closure crosses
/// threads as any closure of a queue does.
// SAFETY: see Touching.
extension DispatchData: @unchecked Sendable {}
