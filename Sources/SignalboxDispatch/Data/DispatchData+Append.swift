// DispatchData+Append — more bytes behind the others.

import SignalboxRuntime

extension DispatchData {
  /// Appends a copy of the bytes.
  ///
  /// Few bytes go into memory that the data has ready for more, and that grows with it:
  /// a million appends cost a million small copies. Other values made of this data
  /// see nothing of it.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let added = bytes.count
    let total = checkedSum(added)
    if base != nil {
      var piece = takePiece()
      if piece.extend(source, added) {
        self = DispatchData(piece)
        return
      }
      let (grown, isWhole) = piece.grown(with: source, added)
      self = isWhole ? DispatchData(grown) : DispatchData(DataRope(DataTree(piece), grown))
    } else if owner != nil {
      let rope = ownRope()
      if !rope.extend(source, added) { rope.grow(source, added) }
      length = total
    } else {
      self = DispatchData(bytes: bytes)
    }
  }

  /// Appends other data, and shares its bytes.
  ///
  /// Costs the logarithm of the number of pieces at most, however large both are.
  public mutating func append(_ other: DispatchData) {
    guard other.count > 0 else { return }
    guard count > 0 else {
      self = other
      return
    }
    let total = checkedSum(other.count)
    let otherRope = other.rope
    let (middle, last) = otherRope.map { ($0.prefix, $0.tail) } ?? (nil, other.piece!)
    if base != nil {
      var piece = takePiece()
      if middle == nil && piece.isContinued(by: last) {
        piece.count += last.count
        self = DispatchData(piece)
        return
      }
      var prefix = DataTree(piece)
      if let middle { prefix.append(middle) }
      self = DispatchData(DataRope(prefix, last))
    } else {
      ownRope().append(middle, last)
      length = total
    }
  }

  /// Appends a copy of the elements' bytes.
  public mutating func append<SourceType>(_ buffer: UnsafeBufferPointer<SourceType>) {
    append(UnsafeRawBufferPointer(buffer))
  }

  // MARK: Its own pieces

  /// Takes the piece out, so that its owner is not counted twice.
  @inline(__always)
  private mutating func takePiece() -> DataPiece {
    let piece = DataPiece(
      owner: owner.unsafelyUnwrapped, base: base.unsafelyUnwrapped, count: count)
    owner = nil
    return piece
  }

  /// The rope, which nobody else holds: a copy if need be.
  @inline(__always)
  private mutating func ownRope() -> DataRope {
    if !isKnownUniquelyReferenced(&owner) {
      owner = unsafeDowncast(owner.unsafelyUnwrapped, to: DataRope.self).copy()
    }
    return unsafeDowncast(owner.unsafelyUnwrapped, to: DataRope.self)
  }

  @inline(__always)
  private func checkedSum(_ added: Int) -> Int {
    let (sum, overflow) = count.addingReportingOverflow(added)
    if overflow {
      clientBug(
        "DispatchData.append: \(count) and \(added) bytes are more than an Int counts. "
          + "Data that shares its pieces can be longer than memory; read it part by part.")
    }
    return sum
  }
}
