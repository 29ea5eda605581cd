// DispatchData+Collection — the bytes as a collection.

import SignalboxRuntime

extension DispatchData: RandomAccessCollection {
  public typealias Iterator = DispatchDataIterator
  public typealias Index = Int
  public typealias Indices = DefaultIndices<DispatchData>

  /// 0.
  @inlinable public var startIndex: Index { 0 }

  /// The same as ``count``.
  @inlinable public var endIndex: Index { count }

  @inlinable public func index(before i: Index) -> Index { i - 1 }

  @inlinable public func index(after i: Index) -> Index { i + 1 }

  /// The index `distance` away, in constant time.
  @inlinable public func index(_ i: Index, offsetBy distance: Int) -> Index { i + distance }

  /// The index `distance` away, in constant time; nil beyond the limit.
  @inlinable
  public func index(_ i: Index, offsetBy distance: Int, limitedBy limit: Index) -> Index? {
    let room = limit - i
    if distance > 0 ? room >= 0 && room < distance : room <= 0 && distance < room { return nil }
    return i + distance
  }

  /// The distance between two indices, in constant time.
  @inlinable public func distance(from start: Index, to end: Index) -> Int { end - start }

  /// The byte at an index, which must be within the data.
  ///
  /// With several pieces, the lookup takes time logarithmic in their number. To read all bytes,
  /// iterate or use ``enumerateBytes(_:)``.
  @inlinable
  public subscript(index: Index) -> UInt8 {
    if index < 0 || index >= count { isOutside(index) }
    guard let base else { return byteOfRope(index) }
    return withExtendedLifetime(owner) { base.load(fromByteOffset: index, as: UInt8.self) }
  }

  /// A view of a range of the bytes, with the same indices. It keeps all of this data;
  /// ``subdata(in:)`` keeps only the pieces that it needs.
  public subscript(bounds: Range<Int>) -> Slice<DispatchData> {
    check(bounds, "subscript")
    return Slice(base: self, bounds: bounds)
  }

  @inlinable
  public func makeIterator() -> Iterator { DispatchDataIterator(_data: self) }

  /// Calls `body` if all bytes are in one stretch of memory.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    guard let base else {
      return count == 0 ? try body(UnsafeBufferPointer(start: nil, count: 0)) : nil
    }
    return try withExtendedLifetime(owner) {
      // SAFETY: the memory holds bytes.
      try body(
        UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count))
    }
  }

  /// Fills a buffer piece by piece. `Array.init` and similar functions call it.
  public func _copyContents(
    initializing buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> (Iterator, Int) {
    let copied = Swift.min(count, buffer.count)
    copy(0..<copied, to: UnsafeMutableRawBufferPointer(buffer))
    var iterator = makeIterator()
    iterator.skip(to: copied)
    return (iterator, copied)
  }

  // MARK: Slow paths

  @usableFromInline @inline(never)
  func byteOfRope(_ index: Int) -> UInt8 {
    guard let rope else { internalBug("DispatchData has bytes and no piece") }
    return rope.byte(index)
  }

  @usableFromInline @inline(never)
  func isOutside(_ index: Int) -> Never {
    clientBug(
      "DispatchData: index \(index) is outside the data, which has \(count) bytes. Use an index "
        + "from startIndex up to, but not including, endIndex.")
  }

  @inline(__always)
  func check(_ range: Range<Int>, _ call: StaticString) {
    if range.lowerBound < 0 || range.upperBound > count { isOutside(range, call) }
  }

  @inline(never)
  private func isOutside(_ range: Range<Int>, _ call: StaticString) -> Never {
    clientBug(
      "DispatchData.\(call): the range \(range) is outside the data, which has \(count) bytes. "
        + "Clamp the range to the data's indices first.")
  }
}
