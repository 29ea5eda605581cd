// NodeCache — memory for items, kept by the thread that freed it last.
//
// Memory allocated on one core and freed on another is what an asynchronous
// submission costs most. A thread keeps the nodes it frees; when it has more
// than two batches it gives one batch to a common stack, where a thread that
// has none takes a whole batch at a time.
//
// Touching    the thread's own list: that thread. The common stack: under its
//             lock.
// Invariants  I1  every node has `nodeSize` bytes, whatever was in it.

import CSignalbox

package enum NodeCache {
  /// Holds the largest kind of item, and makes one cache line with the eight
  /// bytes that the allocator adds; 64 would take it 80.
  @inlinable package static var nodeSize: Int { 56 }
  /// Nodes in a batch: a visit to the common stack, some tens of nanoseconds,
  /// is spread over so many submissions.
  @inlinable static var batch: UInt32 { 64 }
  /// The bytes that a thread keeps at most, with the allocator's own.
  package static var mostKept: Int { 2 * Int(batch) * (nodeSize + 8) }

  /// A node of `nodeSize` bytes, aligned to 16.
  @inlinable
  package static func take() -> UnsafeMutableRawPointer {
    let storage = csb_thread_self()
    guard let node = storage.pointee.nodes else { return takeSlow() }
    // SAFETY: a free node's first word links to the next one.
    let next = node.load(as: UnsafeMutableRawPointer?.self)
    // It was last used on another core: let it come before the next call. Where there is
    // none, to ask for it would cost a walk through the page table each time.
    if let next { csb_prefetch(next) }
    storage.pointee.nodes = next
    storage.pointee.node_count &-= 1
    return node
  }

  @inlinable
  package static func give(_ node: UnsafeMutableRawPointer) {
    let storage = csb_thread_self()
    // SAFETY: the node is free: nobody else reads it.
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

  /// Cuts one batch off this thread's list and hands it to the common stack.
  @inline(never) @usableFromInline
  static func giveBatch() {
    let storage = csb_thread_self()
    let first = storage.pointee.nodes!
    var last = first
    // Not an iterator's loop: without optimisation each of its steps allocates memory.
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

  /// Returns this thread's nodes to the allocator; called at its end.
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

  /// Batches kept at most: half a megabyte. What is more goes back to the
  /// allocator, so that a burst of pending items does not hold its memory for
  /// ever.
  private static let capacity = 128

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`; allocated once, never freed.
  private nonisolated(unsafe) let batches =
    UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: CommonNodes.capacity)
  private nonisolated(unsafe) var count = 0

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Nothing where another has the lock: the allocator is quicker than a wait for a
  /// thread that may be of lower priority.
  func takeBatch() -> UnsafeMutableRawPointer? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    guard count > 0 else { return nil }
    count -= 1
    return batches[count]
  }

  /// Whether there was room for it, and nobody else at it.
  func giveBatch(_ first: UnsafeMutableRawPointer) -> Bool {
    guard lock.tryLock() else { return false }
    defer { lock.unlock() }
    guard count < CommonNodes.capacity else { return false }
    batches[count] = first
    count += 1
    return true
  }
}
