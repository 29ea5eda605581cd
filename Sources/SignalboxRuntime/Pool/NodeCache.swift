// NodeCache — memory for items, kept by the thread that last freed it.
//
// Memory that is allocated on one core and freed on another is the largest cost of an
// asynchronous submission. So a thread keeps the nodes that it frees. When it has more than
// two batches, it gives one to a common stack. A thread that has none takes a whole batch
// from there.
//
// Touching    the thread's own list: that thread. The common stack: under its
//             lock.
// Invariants  I1  every node has `nodeSize` bytes, whatever it contained.

import CSignalbox

package enum NodeCache {
  /// Fits the largest kind of item. With the eight bytes that the allocator adds, it
  /// fills one cache line; 64 would make it 80.
  @inlinable package static var nodeSize: Int { 56 }
  /// Nodes in a batch. A visit to the common stack costs a few tens of nanoseconds, which
  /// this many submissions share.
  @inlinable static var batch: UInt32 { 64 }
  /// The maximum number of bytes that a thread keeps, including the allocator's
  /// own.
  package static var mostKept: Int { 2 * Int(batch) * (nodeSize + 8) }

  /// A node of `nodeSize` bytes, aligned to 16.
  @inlinable
  package static func take() -> UnsafeMutableRawPointer {
    let storage = csb_thread_self()
    guard let node = storage.pointee.nodes else { return takeSlow() }
    // SAFETY: a free node's first word links to the next one.
    let next = node.load(as: UnsafeMutableRawPointer?.self)
    // It was last used on another core: fetch it before the next call. For nil, a
    // prefetch would cost a walk through the page table each time.
    if let next { csb_prefetch(next) }
    storage.pointee.nodes = next
    storage.pointee.node_count &-= 1
    return node
  }

  @inlinable
  package static func give(_ node: UnsafeMutableRawPointer) {
    let storage = csb_thread_self()
    // SAFETY: the node is free, so no other thread reads it.
    node.storeBytes(of: storage.pointee.nodes, as: UnsafeMutableRawPointer?.self)
    storage.pointee.nodes = node
    storage.pointee.node_count &+= 1
    if storage.pointee.node_count >= 2 * batch { giveBatch() }
  }

  @inline(never) @usableFromInline
  static func takeSlow() -> UnsafeMutableRawPointer {
    ThreadEnd.arrange()
    if let first = CommonNodes.shared.takeBatch() {
      let storage = csb_thread_self()
      storage.pointee.nodes = first.load(as: UnsafeMutableRawPointer?.self)
      storage.pointee.node_count = batch - 1
      return first
    }
    return UnsafeMutableRawPointer.allocate(byteCount: nodeSize, alignment: 16)
  }

  /// Moves one batch from this thread's list to the common stack.
  @inline(never) @usableFromInline
  static func giveBatch() {
    let storage = csb_thread_self()
    let first = storage.pointee.nodes!
    var last = first
    // Not a `for` loop: without optimization each step of its iterator allocates memory.
    var count: UInt32 = 1
    while count < batch {
      last = last.load(as: UnsafeMutableRawPointer.self)
      count += 1
    }
    storage.pointee.nodes = last.load(as: UnsafeMutableRawPointer?.self)
    storage.pointee.node_count -= batch
    last.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    if !CommonNodes.shared.giveBatch(first) { release(first) }
  }

  /// Returns this thread's nodes to the allocator when the thread ends.
  static func releaseAll() {
    let storage = csb_thread_self()
    release(storage.pointee.nodes)
    storage.pointee.nodes = nil
    storage.pointee.node_count = 0
  }

  private static func release(_ first: UnsafeMutableRawPointer?) {
    var node = first
    while let free = node {
      node = free.load(as: UnsafeMutableRawPointer?.self)
      free.deallocate()
    }
  }
}

/// The common stack of full batches.
final class CommonNodes: Sendable {
  static let shared = CommonNodes()

  /// The maximum number of batches to keep: half a megabyte. More go back to the
  /// allocator, so that a burst of pending items does not hold its memory forever.
  private static let capacity = 128

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`; allocated once, never freed.
  private nonisolated(unsafe) let batches =
    UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: CommonNodes.capacity)
  private nonisolated(unsafe) var count = 0

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// A full batch. nil if another thread holds the lock: the allocator is faster than
  /// waiting for a thread that may have lower priority.
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
