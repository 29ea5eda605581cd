// DataTreeTests — trees stay balanced, and copies are independent.

import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Data tree", .guarded) struct DataTreeTests {
  /// Returns a piece of a few bytes that identify the piece.
  private static func piece(_ number: Int, count: Int = 3) -> DataPiece {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
    return bytes.withUnsafeBytes {
      DataBuffer.piece($0.baseAddress!, count, room: 0)
    }
  }

  private static func tree(_ numbers: Range<Int>) -> DataTree {
    var tree = DataTree(piece(numbers.lowerBound))
    for number in numbers.dropFirst() { tree.append(piece(number)) }
    return tree
  }

  private static func bytes(_ numbers: Range<Int>) -> [UInt8] {
    numbers.flatMap { number in
      (0..<3).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
    }
  }

  private static func bytes(of tree: DataTree) -> [UInt8] {
    var all: [UInt8] = []
    _ = tree.forEachPiece(in: 0..<tree.count) { bytes, start in
      #expect(start == all.count)
      all += bytes
      return true
    }
    return all
  }

  /// Throws if a node has too few children or a wrong count.
  private static func check(_ tree: DataTree) throws {
    try check(tree.root, tree.height, isRoot: true)
  }

  private static func check(_ root: DataPiece, _ height: Int, isRoot: Bool) throws {
    guard height > 0 else {
      try #require(root.count > 0)
      try #require(!(root.owner is DataNode), "a node where a piece should be")
      return
    }
    let node = try #require(root.owner as? DataNode)
    try #require(root.base == UnsafeRawPointer(node.children))
    try #require(node.size >= (isRoot ? 2 : DataNode.least) && node.size <= DataNode.most)
    var count = 0
    for index in 0..<node.size {
      count += node.children[index].count
      try check(node.children[index], height - 1, isRoot: false)
    }
    try #require(count == root.count)
  }

  @Test func piecesAreInOrderHoweverManyAreAppended() throws {
    var tree = DataTree(Self.piece(0))
    for number in 1..<2_000 {
      tree.append(Self.piece(number))
      if number < 300 || number % 100 == 0 { try Self.check(tree) }
    }
    try Self.check(tree)
    #expect(Self.bytes(of: tree) == Self.bytes(0..<2_000))
    // Four levels hold more, even if each node has twelve children.
    #expect(tree.height <= 4)
  }

  @Test func treesOfAnyTwoHeightsAreJoined() throws {
    let sizes = [1, 2, 3, 4, 5, 11, 16, 17, 60, 257, 900]
    try withEvery("left", in: sizes) { left in
      try withEvery("right", in: sizes) { right in
        let first = Self.tree(0..<left)
        let second = Self.tree(left..<left + right)
        var joined = first
        joined.append(second)
        try Self.check(joined)
        #expect(Self.bytes(of: joined) == Self.bytes(0..<left + right))
        #expect(Self.bytes(of: first) == Self.bytes(0..<left))
        #expect(Self.bytes(of: second) == Self.bytes(left..<left + right))
      }
    }
  }

  @Test func everySliceOfAThreeLevelTreeIsRight() throws {
    let tree = Self.tree(0..<230)
    let all = Self.bytes(0..<230)
    #expect(tree.height >= 2)
    for lower in stride(from: 0, to: all.count, by: 7) {
      for upper in stride(from: lower + 1, through: all.count, by: 11) {
        let slice = tree.slice(lower..<upper)
        try Self.check(slice)
        #expect(Self.bytes(of: slice) == Array(all[lower..<upper]), "\(lower)..<\(upper)")
      }
    }
    #expect(Self.bytes(of: tree) == all)
  }

  @Test func aByteIsFoundInItsPiece() {
    let tree = Self.tree(0..<500)
    for index in 0..<tree.count {
      let (piece, start) = tree.locate(index)
      #expect(start == index / 3 * 3)
      let bytes = Array(piece.pointee.bytes)
      #expect(bytes == Self.bytes(index / 3..<index / 3 + 1))
    }
  }

  @Test func aCopyDoesNotSeeWhatIsAppendedToTheOther() throws {
    var tree = Self.tree(0..<100)
    var copies: [(DataTree, Int)] = []
    for number in 100..<300 {
      copies.append((tree, number))
      tree.append(Self.piece(number))
    }
    for (copy, end) in copies {
      try Self.check(copy)
      #expect(Self.bytes(of: copy) == Self.bytes(0..<end))
    }
  }

  /// The address of the topmost node.
  @inline(never)
  private static func base(of tree: DataTree) -> UnsafeRawPointer { tree.root.base }

  @Test func unsharedNodesAreExtendedInPlace() {
    var tree = Self.tree(0..<20)
    let base = Self.base(of: tree)
    tree.append(Self.piece(20))
    let baseAlone = Self.base(of: tree)
    let copy = tree
    tree.append(Self.piece(21))
    let baseShared = Self.base(of: tree)
    #expect(baseAlone == base)
    #expect(baseShared != base)
    #expect(Self.base(of: copy) == base)
    #expect(Self.bytes(of: copy) == Self.bytes(0..<21))
  }

  @Test func prependingKeepsTheTreeLow() throws {
    var tree = DataTree(Self.piece(3_000))
    for number in (0..<3_000).reversed() {
      var longer = DataTree(Self.piece(number))
      longer.append(tree)
      tree = longer
    }
    try Self.check(tree)
    #expect(tree.height <= 4)
    #expect(Self.bytes(of: tree) == Self.bytes(0..<3_001))
  }

  @Test func doublingIsOneJoin() throws {
    var tree = DataTree(Self.piece(1, count: 1))
    for _ in 0..<20 { tree.append(tree) }
    #expect(tree.count == 1 << 20)
    try Self.check(tree.slice(12_345..<23_456))
    for _ in 20..<62 { tree.append(tree) }
    #expect(tree.count == 1 << 62)
    // Each node below the topmost one has at least four children.
    #expect(tree.height <= 32)
    let middle = tree.slice((1 << 61) - 5..<(1 << 61) + 5)
    try Self.check(middle)
    #expect(middle.count == 10)
    #expect(tree.locate((1 << 62) - 1).piece.pointee.count == 1)
  }

  // MARK: Ropes

  @Test func anUnsharedValueIsAppendedToInPlace() {
    let large = [UInt8](repeating: 1, count: 10_000)
    var data = DispatchData.empty
    for _ in 0..<3 { large.withUnsafeBytes { data.append($0) } }
    let rope = data.owner.map { ObjectIdentifier($0) }
    for _ in 0..<100 { large.withUnsafeBytes { data.append($0) } }
    data.append(large.withUnsafeBytes { DispatchData(bytes: $0) })
    #expect(data.owner.map { ObjectIdentifier($0) } == rope)
    let copy = data
    large.withUnsafeBytes { data.append($0) }
    #expect(data.owner.map { ObjectIdentifier($0) } != rope)
    #expect(copy.owner.map { ObjectIdentifier($0) } == rope)
    #expect(copy.count == 1_040_000 && data.count == 1_050_000)
  }

  @Test func anOwnerIsKeptAsLongAsAPartOfItsBytes() throws {
    let tracker = LeakTracker()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 4)
    var data = DispatchData(owner: tracker.makeObject(), bytes: UnsafeRawBufferPointer(memory))
    withUnsafeBytes(of: UInt8(5)) { data.append($0) }
    data.append(data)
    #expect(data.count == 202)
    data = data.subdata(in: 150..<160)
    #expect(tracker.alive == 1)
    #expect(data.base == UnsafeRawPointer(memory.baseAddress! + 49))
    data = .empty
    #expect(tracker.alive == 0)
    let nothing = UnsafeRawBufferPointer(rebasing: memory[..<0])
    #expect(DispatchData(owner: tracker.makeObject(), bytes: nothing).isEmpty)
    #expect(tracker.alive == 0)
  }

  // MARK: Buffers

  @Test func onlyOneValueGrowsInTheSameMemory() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    bytes.withUnsafeBytes { source in
      let start = DataBuffer.piece(source.baseAddress!, 2, room: 100)
      var (first, second) = (start, start)
      let isFirstContinued = first.extend(source.baseAddress!, 2)
      let isSecondContinued = second.extend(source.baseAddress! + 2, 2)
      #expect(isFirstContinued && !isSecondContinued)
      #expect(Array(first.bytes) == [1, 2, 1, 2])
      #expect(Array(second.bytes) == [1, 2])
      let fitsBeyondTheRoom = first.extend(source.baseAddress!, 97)
      #expect(!fitsBeyondTheRoom)
      #expect(Array(first.bytes) == [1, 2, 1, 2])
    }
  }

  @Test func bytesOfABufferAreAlignedForAnything() {
    for count in 1..<64 {
      let piece = Self.piece(1, count: count)
      #expect(UInt(bitPattern: piece.base) % 16 == 0)
    }
  }
}
