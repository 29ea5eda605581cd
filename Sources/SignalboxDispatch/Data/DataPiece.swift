// DataPiece — bytes in one stretch of memory, and the object that keeps them there.

/// A stretch of memory and its owner. As a child of a node, it may also be a whole subtree, whose
/// owner is the node and whose base is the address of the node's children.
struct DataPiece {
  /// The last reference to the owner frees the bytes.
  var owner: AnyObject
  var base: UnsafeRawPointer
  /// The number of bytes; for a subtree, in all its pieces.
  var count: Int

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  func slice(_ range: Range<Int>) -> DataPiece {
    DataPiece(owner: owner, base: base + range.lowerBound, count: range.count)
  }

  /// Whether `next` follows directly in the memory of the same owner.
  @inline(__always)
  func isContinued(by next: DataPiece) -> Bool {
    base + count == next.base && owner === next.owner
  }

  /// Appends a copy of the bytes in place, if the memory after this piece is free: in a
  /// `DataBuffer` with room, in which no other piece has grown.
  @inline(__always)
  mutating func extend(_ source: UnsafeRawPointer, _ length: Int) -> Bool {
    guard DataBuffer.extend(owner, behind: base + count, source, length) else { return false }
    count &+= length
    return true
  }

  /// A piece with the new bytes and room for more. It includes the old bytes unless there are too
  /// many to copy.
  ///
  /// - Returns: the piece, and whether it includes the old bytes.
  func grown(with source: UnsafeRawPointer, _ length: Int) -> (piece: DataPiece, isWhole: Bool) {
    guard DataBuffer.isOwn(owner) else {
      let room = max(length, DataBuffer.leastRoom)
      return (DataBuffer.piece(source, length, room: room), false)
    }
    if count <= DataBuffer.mostMoved && length <= DataBuffer.mostMoved {
      let room = max(2 * (count + length), DataBuffer.leastRoom)
      var piece = DataBuffer.piece(base, count, room: room)
      _ = piece.extend(source, length)
      return (piece, true)
    }
    let room = max(length, min(2 * count, DataBuffer.mostRoom))
    return (DataBuffer.piece(source, length, room: room), false)
  }
}
