// DispatchDataIterator — goes through the bytes of data in order.
//
// Within a piece, a step costs a load and a comparison; moving to the next piece costs a lookup.

/// Iterates over the bytes of a `DispatchData`.
///
/// Source: Apple's documentation of `DispatchDataIterator`.
@frozen
public struct DispatchDataIterator: IteratorProtocol, Sequence {
  public typealias Element = UInt8

  /// Keeps the memory that the pointers point into.
  @usableFromInline let data: DispatchData
  /// The next byte, and the end of its piece.
  @usableFromInline var cursor: UnsafeRawPointer?
  @usableFromInline var end: UnsafeRawPointer?
  /// The index in the data at which that piece ends.
  @usableFromInline var position: Int

  /// Begins at the first byte.
  @inlinable
  public init(_data: DispatchData) {
    data = _data
    cursor = _data.base
    end = _data.base.map { $0 + _data.count }
    position = _data.base == nil ? 0 : _data.count
  }

  /// The next byte; nil at the end.
  @inlinable
  public mutating func next() -> DispatchData.Element? {
    if cursor == end && !nextPiece() { return nil }
    let pointer = cursor.unsafelyUnwrapped
    cursor = pointer + 1
    return withExtendedLifetime(data) { pointer.load(as: UInt8.self) }
  }

  @usableFromInline @inline(never)
  mutating func nextPiece() -> Bool {
    guard position < data.count else { return false }
    skip(to: position)
    return true
  }

  /// Continues with the byte at an index.
  mutating func skip(to index: Int) {
    guard index < data.count, let (bytes, start) = data.bytes(around: index) else {
      (cursor, end, position) = (nil, nil, data.count)
      return
    }
    cursor = bytes.baseAddress! + (index - start)
    end = bytes.baseAddress! + bytes.count
    position = start + bytes.count
  }
}

// SAFETY: a value; the pointers point into the data that it holds.
extension DispatchDataIterator: @unchecked Sendable {}
