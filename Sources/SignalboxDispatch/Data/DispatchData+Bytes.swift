// DispatchData+Bytes — reads many bytes at once, and takes parts as data of their own.

import CSignalbox
import SignalboxRuntime

extension DispatchData {
  // MARK: In one stretch

  /// Calls `body` with all bytes in one stretch of memory.
  ///
  /// Data of several pieces is copied the first time, and keeps the copy as long as it has these
  /// bytes; so do copies of the data. Use ``enumerateBytes(_:)`` if you do not need one stretch.
  ///
  /// - Parameter body: receives a pointer that is valid until `body` returns and is aligned for
  ///   its type. For empty data, the pointer must not be read.
  /// - Returns: the result of `body`.
  public func withUnsafeBytes<Result, ContentType>(
    body: (UnsafePointer<ContentType>) throws -> Result
  ) rethrows -> Result {
    let alignment = MemoryLayout<ContentType>.alignment
    guard count > 0 else {
      // SAFETY: not null, and aligned; there is nothing to read.
      let nothing = UnsafeRawPointer(bitPattern: Swift.max(alignment, 4096)).unsafelyUnwrapped
      return try body(nothing.assumingMemoryBound(to: ContentType.self))
    }
    return try withExtendedLifetime(owner) {
      let bytes = base ?? rope!.flattened()
      if UInt(bitPattern: bytes) & UInt(alignment - 1) == 0 {
        // SAFETY: the caller declares the type of the bytes.
        return try body(bytes.assumingMemoryBound(to: ContentType.self))
      }
      // A slice may begin at any address.
      let aligned = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: alignment)
      defer { aligned.deallocate() }
      aligned.copyMemory(from: bytes, byteCount: count)
      // SAFETY: the caller declares the type of the bytes.
      return try body(UnsafeRawPointer(aligned).assumingMemoryBound(to: ContentType.self))
    }
  }

  // MARK: Piece by piece

  /// Calls `block` with each piece in order, on the calling thread.
  ///
  /// - Parameter block: receives the piece's bytes, valid until it returns; the index of the
  ///   first byte; and a flag to set to true to stop early.
  @available(swift 4.2)
  public func enumerateBytes(
    _ block: (_ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool) -> Void
  ) {
    var stop = false
    forEachPiece(in: 0..<count) { bytes, start in
      // SAFETY: the memory holds bytes.
      block(bytes.assumingMemoryBound(to: UInt8.self), start, &stop)
      return !stop
    }
  }

  /// Calls `body` with the part of each piece's bytes that is in `range`, and the index of the
  /// first byte, until it returns false.
  package func forEachPiece(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
  ) rethrows {
    check(range, "forEachPiece")
    if range.isEmpty { return }
    try withExtendedLifetime(owner) {
      if let base {
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        _ = try body(bytes, range.lowerBound)
      } else {
        _ = try rope!.forEachPiece(in: range, body)
      }
    }
  }

  /// The bytes of the piece that holds an index, and the index at which it begins.
  func bytes(around index: Int) -> (UnsafeRawBufferPointer, Int)? {
    if let base { return (UnsafeRawBufferPointer(start: base, count: count), 0) }
    guard let (piece, start) = rope?.locate(index) else { return nil }
    return (piece.bytes, start)
  }

  // MARK: Copying

  /// Copies the first `count` bytes.
  ///
  /// - Parameters:
  ///   - pointer: the destination, with room for `count` bytes.
  ///   - count: the number of bytes; at most the data's own count.
  public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, count: Int) {
    if count < 0 { isNoCount(count, "copyBytes(to:count:)") }
    copyBytes(to: pointer, of: 0..<count, "copyBytes(to:count:)")
  }

  /// Copies the bytes of a range.
  ///
  /// - Parameters:
  ///   - pointer: the destination, with room for the range.
  ///   - range: the range, within the data.
  public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, from range: Range<Index>) {
    copyBytes(to: pointer, of: range, "copyBytes(to:from:)")
  }

  /// Copies as many bytes of a range as the buffer has room for.
  ///
  /// - Parameters:
  ///   - buffer: the destination.
  ///   - range: the range, within the data; nil for all bytes.
  /// - Returns: the number of bytes copied.
  public func copyBytes<DestinationType>(
    to buffer: UnsafeMutableBufferPointer<DestinationType>, from range: Range<Index>? = nil
  ) -> Int {
    let range = range ?? 0..<count
    check(range, "copyBytes(to:from:)")
    let destination = UnsafeMutableRawBufferPointer(buffer)
    let length = Swift.min(range.count, destination.count)
    copy(range.lowerBound..<range.lowerBound + length, to: destination)
    return length
  }

  private func copyBytes(
    to pointer: UnsafeMutableRawBufferPointer, of range: Range<Int>, _ call: StaticString
  ) {
    check(range, call)
    if range.count > pointer.count {
      clientBug(
        "DispatchData.\(call): \(range.count) bytes do not fit into a buffer of \(pointer.count). "
          + "Make the buffer larger, or copy a smaller range.")
    }
    copy(range, to: pointer)
  }

  /// Copies a range that is within the data and fits the destination.
  func copy(_ range: Range<Int>, to destination: UnsafeMutableRawBufferPointer) {
    guard !range.isEmpty, let target = destination.baseAddress else { return }
    forEachPiece(in: range) { bytes, start in
      (target + (start - range.lowerBound))
        .copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
      return true
    }
  }

  @inline(never)
  func isNoCount(_ count: Int, _ call: StaticString) -> Never {
    clientBug("DispatchData.\(call): the number of bytes is \(count). Pass 0 or more.")
  }

  // MARK: Parts

  /// Data with the bytes of a range, which it shares.
  ///
  /// It keeps only the pieces that hold bytes of the range. It takes time at most logarithmic in
  /// the number of this data's pieces.
  ///
  /// - Parameter range: the range, within the data.
  public func subdata(in range: Range<Index>) -> DispatchData {
    check(range, "subdata(in:)")
    if range.count == count { return self }
    if range.isEmpty { return .empty }
    if let base, let owner {
      return part(DataPiece(owner: owner, base: base, count: count), range)
    }
    guard let rope else { internalBug("DispatchData has bytes and no piece") }
    let (before, last) = rope.slice(range)
    return before.map { DispatchData(DataRope($0, last)) } ?? DispatchData(last)
  }

  /// The piece that holds a byte, as data, and the index of its first byte.
  ///
  /// - Parameter location: the index of the byte. For ``count``, the piece is empty, which ends a
  ///   loop over the pieces.
  public func region(location: Int) -> (data: DispatchData, offset: Int) {
    if location == count { return (.empty, count) }
    if location < 0 || location > count { isOutside(location) }
    guard let rope else { return (self, 0) }
    let (piece, start) = rope.locate(location)
    return (DispatchData(piece), start)
  }

  /// A part of the only piece. A small part of a large piece is copied: that costs hardly more
  /// than sharing it, and does not keep the large piece alive.
  @inline(__always)
  private func part(_ piece: DataPiece, _ range: Range<Int>) -> DispatchData {
    if range.count <= 128 && type(of: piece.owner) != ForeignBytes.self {
      let whole = DataBuffer.wholeCount(piece.owner) ?? piece.count
      if whole >= 64 * 1024 {
        return DispatchData(DataBuffer.piece(piece.base + range.lowerBound, range.count, room: 0))
      }
    }
    return DispatchData(piece.slice(range))
  }
}
