// NodeCache — memory for items, kept by the thread that last freed it.
//
// Memory that is allocated on one core and freed on another is the largest cost of an
// asynchronous submission. So a thread keeps the nodes that it frees. When it has two batches, it
// gives one to a common stack. A thread without nodes takes a whole batch from that stack.
//
// Touching    the thread's own list: that thread. The common stack: under its
//             lock.
// Invariants  I1  every node has at least `nodeSize` bytes, whatever it contained.
// Rejected    arrays of addresses (magazines) in place of lists linked through the nodes, to
//             prefetch more than the next node: the arrays' own cache lines change hands too. An
//             item of a serial queue took 115 ns instead of 98, on far processors 425 instead of
//             329.

public import CSignalbox

@frozen @usableFromInline
package struct NodeCache: Sendable {
  /// The number of the list in a thread's storage.
  @usableFromInline let list: UInt32
  /// The bytes of a node.
  @usableFromInline package let nodeSize: Int

  @inlinable @inline(__always) init(list: UInt32, nodeSize: Int) {
    self.list = list
    self.nodeSize = nodeSize
  }

  /// Nodes for items. The size fits the largest kind of item. With the eight bytes that the
  /// allocator adds, a node fills one cache line; with 64 bytes it would take 80.
  @inlinable @inline(__always)
  package static var items: NodeCache { NodeCache(list: 0, nodeSize: 56) }

  /// Nodes for small blocks of C, each with the item that runs the block: `BlockNode`.
  @inlinable @inline(__always)
  package static var blocks: NodeCache { NodeCache(list: 1, nodeSize: 88) }

  static var all: [NodeCache] { [items, blocks] }

  /// Nodes in a batch. A visit to the common stack costs a few tens of nanoseconds, which
  /// this many submissions share.
  @inlinable static var batch: UInt32 { 64 }
  /// The maximum number of bytes that a thread keeps, including the allocator's
  /// own.
  package var mostKept: Int { 2 * Int(NodeCache.batch) * (nodeSize + 8) }

  /// Whether memory of this size from the allocator can serve as a node. Allocators round sizes up.
  @inlinable @inline(__always)
  package func isNode(ofSize size: Int) -> Bool { size >= nodeSize && size <= nodeSize + 8 }

  /// Whether this thread keeps nodes, and so frees them when it ends.
  @inlinable @inline(__always)
  package static var isInUse: Bool {
    csb_thread_node_list(items.list).pointee.count != 0
      || csb_thread_node_list(blocks.list).pointee.count != 0
  }

  /// The first words of a free node.
  @frozen @usableFromInline
  struct Links {
    @usableFromInline let next: UnsafeMutableRawPointer?
    /// The node after `next`, or an old address. Used only to fetch the cache line there.
    @usableFromInline let second: UnsafeMutableRawPointer?

    @inlinable @inline(__always)
    init(_ next: UnsafeMutableRawPointer?) {
      self.next = next
      // SAFETY: a free node.
      second = next?.load(as: UnsafeMutableRawPointer?.self)
    }
  }

  /// A node of `nodeSize` bytes, aligned to 16.
  @inlinable @inline(__always)
  package func take() -> UnsafeMutableRawPointer {
    let free = csb_thread_node_list(list)
    guard let node = free.pointee.first else { return takeSlow() }
    let links = node.load(as: Links.self)  // SAFETY: a free node.
    // The node after next was last used on another core: fetch it before the calls that take it.
    // For nil, a prefetch would cost a walk through the page table each time.
    if let second = links.second {
      csb_prefetch(second)
      if nodeSize > 64 { csb_prefetch(second + 64) }
    }
    free.pointee.first = links.next
    free.pointee.count &-= 1
    return node
  }

  @inlinable @inline(__always)
  package func give(_ node: UnsafeMutableRawPointer) {
    let free = csb_thread_node_list(list)
    // SAFETY: the node is free, so no other thread reads it.
    node.storeBytes(of: Links(free.pointee.first), as: Links.self)
    free.pointee.first = node
    free.pointee.count &+= 1
    if free.pointee.count >= 2 * NodeCache.batch { giveBatch() }
  }

  @inline(never) @usableFromInline
  func takeSlow() -> UnsafeMutableRawPointer {
    ThreadEnd.arrange()
    if let first = common.takeBatch() {
      let free = csb_thread_node_list(list)
      free.pointee.first = first.load(as: UnsafeMutableRawPointer?.self)
      free.pointee.count = NodeCache.batch - 1
      return first
    }
    return UnsafeMutableRawPointer.allocate(byteCount: nodeSize, alignment: 16)
  }

  /// Moves one batch from this thread's list to the common stack.
  @inline(never) @usableFromInline
  func giveBatch() {
    let free = csb_thread_node_list(list)
    let first = free.pointee.first!
    var last = first
    // Not a `for` loop: without optimization each step of its iterator allocates memory.
    var count: UInt32 = 1
    while count < NodeCache.batch {
      last = last.load(as: UnsafeMutableRawPointer.self)
      count += 1
    }
    free.pointee.first = last.load(as: UnsafeMutableRawPointer?.self)
    free.pointee.count -= NodeCache.batch
    last.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    if !common.giveBatch(first) { NodeCache.release(first) }
  }

  private var common: CommonNodes { CommonNodes.all[Int(list)] }

  /// Returns this thread's nodes to the allocator when the thread ends.
  static func releaseAll() {
    for cache in all {
      let free = csb_thread_node_list(cache.list)
      release(free.pointee.first)
      free.pointee = csb_node_list()
    }
  }

  private static func release(_ first: UnsafeMutableRawPointer?) {
    var node = first
    while let free = node {
      node = free.load(as: UnsafeMutableRawPointer?.self)
      free.deallocate()
    }
  }
}

/// The common stack of full batches of one kind.
final class CommonNodes: Sendable {
  static let all = NodeCache.all.map { _ in CommonNodes() }

  /// The maximum number of batches to keep: half a megabyte of nodes for items. Further batches go
  /// back to the allocator, so that a burst of pending items does not hold its memory forever.
  private static let capacity = 128

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`; allocated once, never freed.
  private nonisolated(unsafe) let batches =
    UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: CommonNodes.capacity)
  private nonisolated(unsafe) var count = 0

  static func lockForFork() { for nodes in all { nodes.lock.lock() } }
  static func unlockAfterFork() { for nodes in all { nodes.lock.unlock() } }

  /// A full batch; nil if there is none, or if another thread holds the lock: the allocator is
  /// faster than waiting for a thread that may have lower priority.
  func takeBatch() -> UnsafeMutableRawPointer? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    guard count > 0 else { return nil }
    count -= 1
    return batches[count]
  }

  /// Returns whether there was room for the batch and no other thread held the lock.
  func giveBatch(_ first: UnsafeMutableRawPointer) -> Bool {
    guard lock.tryLock() else { return false }
    defer { lock.unlock() }
    guard count < CommonNodes.capacity else { return false }
    batches[count] = first
    count += 1
    return true
  }
}
