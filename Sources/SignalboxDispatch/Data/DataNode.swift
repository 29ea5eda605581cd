// DataNode — an inner node of a rope, with up to sixteen subtrees or pieces in order.
//
// Touching    the thread that builds it. Once it is part of a value that others may hold, no
//             thread writes it. A thread that holds the only reference to it, and to all nodes
//             above it, may continue to build.
// Invariants  I1  all pieces of a tree are at the same depth.
//             I2  every node except the root has at least `least` children.

final class DataNode: ManagedBuffer<Int, DataPiece> {
  /// Sixteen children fill six cache lines, and a million pieces need five levels. With a minimum
  /// of four, a node that is split during a run of appends keeps twelve children.
  static var most: Int { 16 }
  static var least: Int { 4 }

  static func make() -> DataNode {
    unsafeDowncast(DataNode.create(minimumCapacity: most) { _ in 0 }, to: DataNode.self)
  }

  /// The node of a subtree.
  @inline(__always)
  static func of(_ tree: DataPiece) -> DataNode { unsafeDowncast(tree.owner, to: DataNode.self) }

  /// Whether this is the only reference to the node.
  @inline(__always)
  static func isAlone(_ tree: inout DataPiece) -> Bool {
    // Use the node's own type: as `AnyObject`, the reference would be copied first, and there would
    // be two.
    withUnsafeMutablePointer(to: &tree.owner) { owner in
      // SAFETY: a reference to a node, whatever its static type.
      owner.withMemoryRebound(to: DataNode.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
    }
  }

  deinit {
    let (children, size) = (children, size)
    for index in 0..<size { (children + index).deinitialize(count: 1) }
  }

  @inline(__always)
  var size: Int {
    // The closure forms skip the check for exclusive access.
    get { withUnsafeMutablePointerToHeader { $0.pointee } }
    set { withUnsafeMutablePointerToHeader { $0.pointee = newValue } }
  }

  @inline(__always)
  var children: UnsafeMutablePointer<DataPiece> { withUnsafeMutablePointerToElements { $0 } }

  var tree: DataPiece {
    var count = 0
    for index in 0..<size { count &+= children[index].count }
    return tree(count)
  }

  func tree(_ count: Int) -> DataPiece {
    DataPiece(owner: self, base: UnsafeRawPointer(children), count: count)
  }

  // MARK: Building

  func append(_ source: UnsafePointer<DataPiece>, _ count: Int) {
    // Copy one by one: a call for several children would look up, for each child, how to copy it.
    let end = children + size
    for index in 0..<count { (end + index).initialize(to: source[index]) }
    size += count
  }

  func insert(_ child: DataPiece, atFront: Bool) {
    if atFront {
      (children + 1).moveInitialize(from: children, count: size)
      children.initialize(to: child)
    } else {
      (children + size).initialize(to: child)
    }
    size += 1
  }

  /// Splits a full node: the children at one edge, and `child`, move to a node of their own.
  func split(with child: DataPiece, atFront: Bool) -> DataPiece {
    let (rest, moved) = (DataNode.make(), DataNode.least)
    if atFront {
      rest.children.initialize(to: child)
      (rest.children + 1).moveInitialize(from: children, count: moved)
      children.moveInitialize(from: children + moved, count: size - moved)
    } else {
      rest.children.moveInitialize(from: children + (size - moved), count: moved)
      (rest.children + moved).initialize(to: child)
    }
    size -= moved
    rest.size = moved + 1
    return rest.tree
  }

  func copy() -> DataNode {
    let copy = DataNode.make()
    copy.append(children, size)
    return copy
  }

  /// Merges two neighbours, or moves children between them, so that neither has too few.
  static func balance(_ a: DataPiece, _ b: DataPiece) -> (DataPiece, DataPiece?) {
    let (left, right) = (of(a), of(b))
    if left.size >= least && right.size >= least { return (a, b) }
    let total = left.size + right.size
    let first = make()
    if total <= most {
      first.append(left.children, left.size)
      first.append(right.children, right.size)
      return (first.tree(a.count + b.count), nil)
    }
    let (second, half) = (make(), total / 2)
    if left.size >= half {
      first.append(left.children, half)
      second.append(left.children + half, left.size - half)
      second.append(right.children, right.size)
    } else {
      let taken = half - left.size
      first.append(left.children, left.size)
      first.append(right.children, taken)
      second.append(right.children + taken, right.size - taken)
    }
    let tree = first.tree
    return (tree, second.tree(a.count + b.count - tree.count))
  }
}
