// DataTree — a sequence of pieces in a balanced tree that copies share.
//
// Joining two trees costs as much as their difference in height; a slice or a lookup costs as
// much as the tree's height. Joins and slices create new nodes along one path and share all
// others. Appending to a tree that is not shared happens in place.
//
// Rejected    an array of pieces: joining, slicing and prepending would copy it. Binary trees:
//             twice the nodes, and four times the steps of a lookup.
// Sources     J. Driscoll, N. Sarnak, D. Sleator, R. Tarjan, "Making Data Structures Persistent"
//             (1989): copying the path. G. Blelloch, D. Ferizovic, Y. Sun, "Just Join for
//             Parallel Ordered Sets" (2016): building every operation from joins.

struct DataTree {
  /// A piece if `height` is 0, otherwise a node as a subtree.
  private(set) var root: DataPiece
  private(set) var height: Int

  @inline(__always)
  var count: Int { root.count }

  init(_ piece: DataPiece) { self.init(root: piece, height: 0) }

  private init(root: DataPiece, height: Int) {
    self.root = root
    self.height = height
  }

  // MARK: Joining

  mutating func append(_ piece: DataPiece) { append(DataTree(piece)) }

  mutating func append(_ other: DataTree) {
    if height >= other.height {
      let rest =
        height == other.height
        ? put(beside: other) : DataTree.add(other, to: &root, height, atFront: false)
      if let rest { raise(root, rest) }
      return
    }
    var (left, right) = (self, other.root)
    let rest = DataTree.add(left, to: &right, other.height, atFront: true)
    (left.root, left.height) = (right, other.height)
    self = left
    if let rest { raise(rest, root) }
  }

  /// Joins a tree of the same height, and merges the roots if one has too few children.
  private mutating func put(beside other: DataTree) -> DataPiece? {
    if height == 0 { return other.root }
    let rest: DataPiece?
    (root, rest) = DataNode.balance(root, other.root)
    return rest
  }

  private mutating func raise(_ left: DataPiece, _ right: DataPiece) {
    let node = DataNode.make()
    node.insert(left, atFront: false)
    node.insert(right, atFront: false)
    root = node.tree(left.count + right.count)
    height += 1
  }

  /// Adds a lower tree at an edge of `root`, in place if the nodes are not shared.
  ///
  /// - Returns: a subtree of the height of `root` to place next to it, with what did not fit;
  ///   or nil.
  private static func add(
    _ tree: DataTree, to root: inout DataPiece, _ height: Int, atFront: Bool
  ) -> DataPiece? {
    // A copied node shares its children with the original, so the same check fails again on every
    // level below.
    if !DataNode.isAlone(&root) { root = DataNode.of(root).copy().tree(root.count) }
    let node = DataNode.of(root)
    root.count += tree.count
    let edge = node.children + (atFront ? 0 : node.size - 1)
    let rest: DataPiece?
    if tree.height < height - 1 {
      rest = add(tree, to: &edge.pointee, height - 1, atFront: atFront)
    } else if tree.height == 0 {
      rest = tree.root
    } else if atFront {
      let (first, second) = DataNode.balance(tree.root, edge.pointee)
      edge.pointee = second ?? first
      rest = second == nil ? nil : first
    } else {
      (edge.pointee, rest) = DataNode.balance(edge.pointee, tree.root)
    }
    guard let rest else { return nil }
    guard node.size == DataNode.most else {
      node.insert(rest, atFront: atFront)
      return nil
    }
    let beside = node.split(with: rest, atFront: atFront)
    root.count -= beside.count
    return beside
  }

  // MARK: Slicing

  /// The bytes of `range`, which is not empty and within bounds.
  func slice(_ range: Range<Int>) -> DataTree { DataTree.slice(root, height, range) }

  private static func slice(_ root: DataPiece, _ height: Int, _ range: Range<Int>) -> DataTree {
    if range.count == root.count { return DataTree(root: root, height: height) }
    if height == 0 { return DataTree(root.slice(range)) }
    let children = DataNode.of(root).children
    var (child, start) = (children, 0)
    while range.lowerBound >= start + child.pointee.count {
      start += child.pointee.count
      child += 1
    }
    let end = start + child.pointee.count
    if range.upperBound <= end {
      let inside = range.lowerBound - start..<range.upperBound - start
      return slice(child.pointee, height - 1, inside)
    }
    var result: DataTree?
    if range.lowerBound > start {
      result = slice(child.pointee, height - 1, range.lowerBound - start..<child.pointee.count)
      start = end
      child += 1
    }
    let (firstWhole, wholeStart) = (child, start)
    while start < range.upperBound && start + child.pointee.count <= range.upperBound {
      start += child.pointee.count
      child += 1
    }
    if child > firstWhole {
      let whole = DataTree(firstWhole, child - firstWhole, start - wholeStart, height)
      if result == nil { result = whole } else { result!.append(whole) }
    }
    if start < range.upperBound {
      let last = slice(child.pointee, height - 1, 0..<range.upperBound - start)
      result!.append(last)
    }
    return result!
  }

  /// Creates a tree of neighbouring children of a node of this height.
  private init(_ first: UnsafePointer<DataPiece>, _ size: Int, _ count: Int, _ height: Int) {
    if size == 1 {
      self.init(root: first.pointee, height: height - 1)
    } else {
      let node = DataNode.make()
      node.append(first, size)
      self.init(root: node.tree(count), height: height)
    }
  }

  // MARK: Looking

  /// The piece that holds a byte, and the index at which it begins. The lookup retains nothing.
  @inline(__always)
  func locate(_ index: Int) -> (piece: UnsafePointer<DataPiece>, start: Int) {
    // SAFETY: with a height above 0, the base is a node's children; the caller keeps the tree.
    var children = root.base.assumingMemoryBound(to: DataPiece.self)
    var left = index
    for _ in 1..<height {
      while left >= children.pointee.count {
        left &-= children.pointee.count
        children += 1
      }
      children = children.pointee.base.assumingMemoryBound(to: DataPiece.self)
    }
    while left >= children.pointee.count {
      left &-= children.pointee.count
      children += 1
    }
    return (children, index &- left)
  }

  /// Calls `body` with the part of each piece's bytes that is in `range`, and the index at which
  /// it begins.
  ///
  /// - Returns: false if `body` returned false, which ends the walk.
  func forEachPiece(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
  ) rethrows -> Bool {
    try DataTree.forEachPiece(root.base, root.count, height, 0, range, body)
  }

  static func forEachPiece(
    _ base: UnsafeRawPointer, _ count: Int, _ height: Int, _ start: Int, _ range: Range<Int>,
    _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
  ) rethrows -> Bool {
    let (lower, upper) = (max(start, range.lowerBound), min(start + count, range.upperBound))
    if height == 0 {
      let bytes = UnsafeRawBufferPointer(start: base + (lower - start), count: upper - lower)
      return try body(bytes, lower)
    }
    var child = base.assumingMemoryBound(to: DataPiece.self)  // SAFETY: as in `locate`.
    var position = start
    while position &+ child.pointee.count <= lower {
      position &+= child.pointee.count
      child += 1
    }
    while position < upper {
      let end = position &+ child.pointee.count
      let goesOn: Bool
      if height == 1 && position >= lower && end <= upper {
        // A whole piece, as most are.
        let bytes = UnsafeRawBufferPointer(start: child.pointee.base, count: end &- position)
        goesOn = try body(bytes, position)
      } else {
        let (base, count) = (child.pointee.base, child.pointee.count)
        goesOn = try forEachPiece(base, count, height - 1, position, range, body)
      }
      guard goesOn else { return false }
      position = end
      child += 1
    }
    return true
  }
}
