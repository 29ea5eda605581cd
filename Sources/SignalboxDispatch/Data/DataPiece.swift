// DataPiece — bytes that lie in one stretch, and what keeps them there.

/// A stretch of memory and its owner; as a child of a node also a whole subtree,
/// whose owner is the node and whose base is the node's children.
struct DataPiece {
  /// The last reference to it frees the bytes.
  var owner: AnyObject
  var base: UnsafeRawPointer
  /// How many bytes; of a subtree, in all its pieces.
  var count: Int

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  func slice(_ range: Range<Int>) -> DataPiece {
    DataPiece(owner: owner, base: base + range.lowerBound, count: range.count)
  }

  /// Whether `next` lies right behind, in the same owner's memory.
  @inline(__always)
  func isContinued(by next: DataPiece) -> Bool {
    base + count == next.base && owner === next.owner
  }

  /// Puts a copy of the bytes behind these, if the memory there is free: in a buffer of
  /// ours, with room, that no other piece has been continued in.
  @inline(__always)
  mutating func extend(_ source: UnsafeRawPointer, _ length: Int) -> Bool {
    guard DataBuffer.extend(owner, behind: base + count, source, length) else { return false }
    count &+= length
    return true
  }

  /// A piece with these bytes, and room behind them; with their count left out where
  /// they are so many that they better stay where they are.
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
