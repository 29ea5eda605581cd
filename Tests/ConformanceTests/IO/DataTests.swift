// DataTests — Apple's documentation of DispatchData: shared bytes, in one piece or several.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

extension DispatchData {
  /// Creates one piece with a copy of these bytes.
  fileprivate init(_ bytes: some Sequence<UInt8>) {
    self = Array(bytes).withUnsafeBytes { DispatchData(bytes: $0) }
  }

  /// Creates one piece for each array.
  fileprivate init(pieces: [[UInt8]]) {
    self = .empty
    for piece in pieces { append(DispatchData(piece)) }
  }

  fileprivate var pieces: [[UInt8]] {
    var all: [[UInt8]] = []
    enumerateBytes { bytes, start, _ in
      #expect(start == all.joined().count)
      all.append(Array(bytes))
    }
    return all
  }
}

@Suite(.guarded)
struct DataTests {
  private static let abc = DispatchData(pieces: [[1, 2, 3], [4, 5], [6, 7, 8, 9]])

  // MARK: Making and appending

  @Test func copiedBytesAreTheDatasOwn() {
    var bytes: [UInt8] = [1, 2, 3]
    let data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
    bytes[0] = 9
    #expect(Array(data) == [1, 2, 3])
  }

  @Test func bytesThatAreNotCopiedStayWhereTheyAre() throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
    memory.copyBytes(from: [1, 2, 3, 4])
    let data = DispatchData(
      bytesNoCopy: UnsafeRawBufferPointer(memory), deallocator: .custom(nil) {})
    data.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
      #expect(UnsafeRawPointer(first) == UnsafeRawPointer(memory.baseAddress!))
    }
    #expect(Array(data) == [1, 2, 3, 4])
    memory.deallocate()
  }

  @Test func emptyDataIsEmptyInEveryWay() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    for data in [
      .empty, DispatchData(bytes: nothing), DispatchData(bytesNoCopy: nothing),
      DispatchData([1, 2]).subdata(in: 1..<1), Self.abc.subdata(in: 4..<4),
    ] {
      #expect(data.count == 0)
      #expect(data.isEmpty)
      #expect(Array(data) == [])
      #expect(data.pieces.isEmpty)
      #expect(data.first == nil)
      #expect(data.region(location: 0).data.isEmpty)
      #expect(data.withUnsafeBytes { (_: UnsafePointer<UInt64>) in 7 } == 7)
      #expect(Array(data.subdata(in: 0..<0)) == [])
      var longer = data
      longer.append(data)
      #expect(longer.isEmpty)
    }
  }

  @Test func appendedBytesAreCopiedToTheEnd() {
    var data = DispatchData([1, 2])
    var bytes: [UInt8] = [3, 4]
    bytes.withUnsafeBytes { data.append($0) }
    bytes[0] = 9
    let words: [UInt16] = [0x0605, 0x0807]
    words.withUnsafeBufferPointer { data.append($0) }
    data.append(DispatchData([9]))
    #expect(Array(data) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test func aCopyDoesNotSeeWhatIsAppendedLater() {
    var data = DispatchData.empty
    var copies: [DispatchData] = []
    for number in 0..<2_000 {
      copies.append(data)
      withUnsafeBytes(of: UInt8(truncatingIfNeeded: number)) { data.append($0) }
    }
    for (count, copy) in copies.enumerated() {
      #expect(copy.elementsEqual((0..<count).map { UInt8(truncatingIfNeeded: $0) }))
    }
  }

  /// Both had the same spare room behind them.
  @Test func twoCopiesAreAppendedToIndependently() {
    var first = DispatchData.empty
    for _ in 0..<10 { withUnsafeBytes(of: UInt8(1)) { first.append($0) } }
    var second = first
    withUnsafeBytes(of: UInt8(2)) { first.append($0) }
    withUnsafeBytes(of: UInt8(3)) { second.append($0) }
    #expect(Array(first) == Array(repeating: 1, count: 10) + [2])
    #expect(Array(second) == Array(repeating: 1, count: 10) + [3])
  }

  @Test func smallAppendsAreGatheredInFewPieces() {
    var data = DispatchData.empty
    let portion = [UInt8](repeating: 7, count: 64)
    for _ in 0..<100_000 { portion.withUnsafeBytes { data.append($0) } }
    #expect(data.count == 6_400_000)
    #expect(data.pieces.count < 50)
    // The same holds if something retains each value on the way.
    data = .empty
    var held = data
    for _ in 0..<10_000 {
      portion.withUnsafeBytes { data.append($0) }
      held = data
    }
    #expect(held.count == data.count)
    #expect(data.pieces.count < 30)
  }

  @Test func dataThatIsAppendedIsShared() {
    let large = DispatchData([UInt8](repeating: 5, count: 100_000))
    var data = DispatchData([1])
    data.append(large)
    data.append(DispatchData([2]))
    let place = large.withUnsafeBytes { (first: UnsafePointer<UInt8>) in first }
    let (piece, offset) = data.region(location: 50_000)
    #expect(offset == 1)
    #expect(piece.count == 100_000)
    piece.withUnsafeBytes { (first: UnsafePointer<UInt8>) in #expect(first == place) }
  }

  @Test func dataIsAppendedToItself() {
    var data = DispatchData(pieces: [[1, 2], [3]])
    data.append(data)
    data.append(data)
    #expect(Array(data) == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
  }

  /// Doubles one byte sixty times.
  @Test func dataMayBeLongerThanMemory() {
    var data = DispatchData([7])
    for _ in 0..<62 { data.append(data) }
    #expect(data.count == 1 << 62)
    #expect(data[data.count - 1] == 7)
    #expect(data[1 << 61] == 7)
    #expect(Array(data.subdata(in: (1 << 61) - 3..<(1 << 61) + 3)) == [7, 7, 7, 7, 7, 7])
    #expect(data.index(0, offsetBy: 1 << 62) == data.endIndex)
    #expect(data.distance(from: data.startIndex, to: data.endIndex) == 1 << 62)
    var pieces = 0
    data.enumerateBytes { _, _, stop in
      pieces += 1
      stop = pieces == 10
    }
    #expect(pieces == 10)
  }

  @Test func adjacentSlicesBecomeOnePieceAgain() {
    let whole = DispatchData((0..<200).map { UInt8($0) })
    var data = whole.subdata(in: 10..<50)
    data.append(whole.subdata(in: 50..<120))
    #expect(data.pieces.count == 1)
    #expect(Array(data) == (10..<120).map { UInt8($0) })
  }

  // MARK: Reading

  @Test func piecesAreEnumeratedInOrderUntilItIsStopped() {
    #expect(Self.abc.pieces == [[1, 2, 3], [4, 5], [6, 7, 8, 9]])
    var starts: [Int] = []
    Self.abc.enumerateBytes { bytes, start, stop in
      starts.append(start)
      stop = start == 3
    }
    #expect(starts == [0, 3])
  }

  @Test func everyRangeIsCopied() {
    let bytes = [UInt8](1...9)
    for lower in 0...9 {
      for upper in lower...9 {
        var target = [UInt8](repeating: 0, count: 12)
        target.withUnsafeMutableBytes { Self.abc.copyBytes(to: $0, from: lower..<upper) }
        #expect(Array(target[..<(upper - lower)]) == Array(bytes[lower..<upper]))
        #expect(target[(upper - lower)...].allSatisfy { $0 == 0 })
        #expect(Array(Self.abc.subdata(in: lower..<upper)) == Array(bytes[lower..<upper]))
        #expect(Array(Self.abc[lower..<upper]) == Array(bytes[lower..<upper]))
      }
    }
  }

  @Test func asManyElementsAreCopiedAsFit() {
    var words = [UInt16](repeating: 0, count: 3)
    let copied = words.withUnsafeMutableBufferPointer { Self.abc.copyBytes(to: $0) }
    #expect(copied == 6)
    #expect(words == [0x0201, 0x0403, 0x0605])
    let part = words.withUnsafeMutableBufferPointer { Self.abc.copyBytes(to: $0, from: 6..<9) }
    #expect(part == 3)
    #expect(words == [0x0807, 0x0409, 0x0605])
    let nothing = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    #expect(Self.abc.copyBytes(to: nothing) == 0)
    #expect(Self.abc.copyBytes(to: nothing, from: 9..<9) == 0)
  }

  @Test func theFirstBytesAreCopied() {
    var target = [UInt8](repeating: 0, count: 5)
    target.withUnsafeMutableBytes { Self.abc.copyBytes(to: $0, count: 4) }
    #expect(target == [1, 2, 3, 4, 0])
  }

  @Test func bytesOfSeveralPiecesAreMadeContiguousOnce() {
    let data = Self.abc.subdata(in: 1..<8)
    var copy = data
    let first = data.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
      #expect(Array(UnsafeBufferPointer(start: first, count: 7)) == [2, 3, 4, 5, 6, 7, 8])
      return first
    }
    #expect(data.withUnsafeBytes { (again: UnsafePointer<UInt8>) in again } == first)
    #expect(copy.withUnsafeBytes { (again: UnsafePointer<UInt8>) in again } == first)
    // After an append, the value has a contiguous copy of its own.
    withUnsafeBytes(of: UInt8(1)) { copy.append($0) }
    copy.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
      #expect(Array(UnsafeBufferPointer(start: first, count: 8)) == [2, 3, 4, 5, 6, 7, 8, 1])
    }
    #expect(Array(data) == [2, 3, 4, 5, 6, 7, 8])
  }

  /// An append invalidates the value's contiguous copy.
  @Test func appendingAfterAReadShowsTheNewBytes() {
    var data = DispatchData(pieces: [[1, 2], [3]])
    for number in UInt8(4)..<200 {
      withUnsafeBytes(of: number) { data.append($0) }
      data.withUnsafeBytes { (first: UnsafePointer<UInt8>) in
        #expect(UnsafeBufferPointer(start: first, count: data.count).elementsEqual(1...number))
      }
    }
  }

  @Test func whatTheBodyThrowsOrReturnsIsPassedOn() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try Self.abc.withUnsafeBytes { (_: UnsafePointer<UInt8>) in throw Refusal() }
    }
    #expect(Self.abc.withUnsafeBytes { (_: UnsafePointer<UInt8>) in "result" } == "result")
  }

  @Test func thePointerIsAlignedForItsType() {
    let words = (0..<20).map { UInt64($0) &* 0x0101_0101_0101_0101 }
    let data = words.withUnsafeBytes { DispatchData(bytes: $0) }
    for start in 0..<8 {
      let part = data.subdata(in: start..<start + 64)
      part.withUnsafeBytes { (first: UnsafePointer<UInt64>) in
        #expect(UInt(bitPattern: first) % 8 == 0)
        #expect(UnsafeRawBufferPointer(start: first, count: 64).elementsEqual(part))
      }
    }
  }

  @Test func aRegionIsThePieceAroundAByte() {
    for location in 0..<9 {
      let (data, offset) = Self.abc.region(location: location)
      let expected = [0, 0, 0, 3, 3, 5, 5, 5, 5][location]
      #expect(offset == expected)
      #expect(Array(data) == Self.abc.pieces[[0: 0, 3: 1, 5: 2][expected]!])
    }
    let end = Self.abc.region(location: 9)
    #expect(end.offset == 9 && end.data.isEmpty)
    // The loop over all regions from Apple's documentation.
    var (location, pieces) = (0, 0)
    while location < Self.abc.count {
      let (data, offset) = Self.abc.region(location: location)
      location = offset + data.count
      pieces += 1
    }
    #expect(pieces == 3)
  }

  // MARK: As a collection

  @Test func itIsARandomAccessCollection() {
    let data = Self.abc
    #expect(data.startIndex == 0 && data.endIndex == 9)
    #expect(data.indices.map { data[$0] } == [UInt8](1...9))
    #expect(data.first == 1 && data.last == 9)
    #expect(Array(data.reversed()) == (1...9).reversed())
    #expect(data.firstIndex(of: 6) == 5)
    #expect(data.index(after: 3) == 4 && data.index(before: 3) == 2)
    #expect(data.index(2, offsetBy: 5, limitedBy: 9) == 7)
    #expect(data.index(2, offsetBy: 8, limitedBy: 9) == nil)
    #expect(data.index(7, offsetBy: -8, limitedBy: 0) == nil)
    #expect(data.index(7, offsetBy: -7, limitedBy: 0) == 0)
    // A limit on the other side of the start has no effect.
    #expect(data.index(2, offsetBy: 5, limitedBy: 1) == 7)
    #expect(data.index(5, offsetBy: -3, limitedBy: 6) == 2)
    #expect(data.distance(from: 7, to: 3) == -4)
    #expect(data.prefix(4).elementsEqual(1...4))
    #expect(data.dropFirst(7).elementsEqual(8...9))
    #expect(data[3...].startIndex == 3)
    #expect(data.lexicographicallyPrecedes(DispatchData([2])))
  }

  @Test func dataOfOnePieceHasContiguousStorage() {
    let one = DispatchData([1, 2, 3])
    #expect(one.withContiguousStorageIfAvailable { Array($0) } == [1, 2, 3])
    #expect(Self.abc.withContiguousStorageIfAvailable { Array($0) } == nil)
    #expect(DispatchData.empty.withContiguousStorageIfAvailable { $0.count } == 0)
  }

  @Test func aCopiedIteratorContinuesIndependently() {
    var iterator = Self.abc.makeIterator()
    for expected in UInt8(1)...4 { #expect(iterator.next() == expected) }
    var copy = iterator
    #expect(Array(iterator) == [5, 6, 7, 8, 9])
    #expect(copy.next() == 5)
    #expect(Array(DispatchDataIterator(_data: Self.abc)) == [UInt8](1...9))
    for _ in 0..<5 { _ = copy.next() }
    #expect(copy.next() == nil)
    #expect(copy.next() == nil)
  }

  @Test func aBufferThatIsTooSmallIsFilledAndTheRestIsLeft() {
    var target = [UInt8](repeating: 0, count: 4)
    target.withUnsafeMutableBufferPointer { buffer in
      var (rest, filled) = buffer.update(from: Self.abc)
      #expect(filled == 4)
      #expect(rest.next() == 5)
    }
    #expect(target == [1, 2, 3, 4])
    #expect(ContiguousArray(Self.abc) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test func dataIsSendable() {
    func isSendable<T: Sendable>(_: T.Type) -> Bool { true }
    #expect(isSendable(DispatchData.self))
  }

  // MARK: The deprecated forms

  @available(swift, deprecated: 4)
  @Test func formsWithTypedPointersDoTheSame() {
    let bytes: [UInt8] = [1, 2, 3]
    var data = bytes.withUnsafeBufferPointer { DispatchData(bytes: $0) }
    bytes.withUnsafeBufferPointer { data.append($0.baseAddress!, count: 2) }
    #expect(Array(data) == [1, 2, 3, 1, 2])
    var target = [UInt8](repeating: 0, count: 4)
    target.withUnsafeMutableBufferPointer {
      data.copyBytes(to: $0.baseAddress!, count: 2)
      data.copyBytes(to: $0.baseAddress! + 2, from: 2..<4)
    }
    #expect(target == [1, 2, 3, 1])
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2)
    memory.initialize(repeating: 6)
    let handedOver = DispatchData(
      bytesNoCopy: UnsafeBufferPointer(memory), deallocator: .custom(nil) {})
    #expect(Array(handedOver) == [6, 6])
    memory.deallocate()
  }
}
