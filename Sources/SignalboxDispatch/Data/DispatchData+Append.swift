// DispatchData+Append — appends bytes to data.

import SignalboxRuntime

extension DispatchData {
  /// Appends a copy of the bytes.
  ///
  /// A few bytes go into spare memory, which grows with the data: a million appends cost a
  /// million small copies. Other values that share this data do not see the new bytes.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    let total = checkedSum(bytes.count)
    if extend(source, bytes.count) {
      length = total
    } else {
      appendSlow(source, bytes.count)
    }
  }

  /// Appends the bytes in place if there is room.
  @inline(__always)
  private mutating func extend(_ source: UnsafeRawPointer, _ added: Int) -> Bool {
    if let base {
      return DataBuffer.extend(owner.unsafelyUnwrapped, behind: base + count, source, added)
    }
    guard owner != nil, isKnownUniquelyReferenced(&owner) else { return false }
    // SAFETY: this value holds the rope.
    return Unmanaged.passUnretained(unsafeDowncast(owner.unsafelyUnwrapped, to: DataRope.self))
      ._withUnsafeGuaranteedRef { $0.extend(source, added) }
  }

  @inline(never)
  private mutating func appendSlow(_ source: UnsafeRawPointer, _ added: Int) {
    if base != nil {
      let piece = takePiece()
      let (grown, isWhole) = piece.grown(with: source, added)
      self = isWhole ? DispatchData(grown) : DispatchData(DataRope(DataTree(piece), grown))
    } else if owner != nil {
      let rope = ownRope()
      if !rope.extend(source, added) { rope.grow(source, added) }
      length += added
    } else {
      self = DispatchData(DataBuffer.piece(source, added, room: 0))
    }
  }

  /// Appends other data and shares its bytes.
  ///
  /// It takes time at most logarithmic in the number of pieces, however large the data is.
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

  /// Moves the piece out of the value, so that its owner has only one reference.
  @inline(__always)
  private mutating func takePiece() -> DataPiece {
    let piece = DataPiece(
      owner: owner.unsafelyUnwrapped, base: base.unsafelyUnwrapped, count: count)
    owner = nil
    return piece
  }

  /// The rope, which this value alone holds; a copy if it was shared.
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
