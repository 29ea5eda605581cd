// OwnedNode — the part of a waiter that the engine refers to by address.
//
// Touching    `node`: as its own type says.

import SignalboxRuntime

/// A node followed by a reference to its waiter, which contains it: a wait therefore allocates
/// only the waiter.
struct OwnedNode<Node>: ~Copyable {
  private let node: Node
  /// Written before the engine has the node, and read by the code that has taken the node out.
  /// Handing the node over and taking it out order the two accesses.
  private let owner = SingleWriter<UnsafeMutableRawPointer?>(nil)

  init(_ node: Node) { self.node = node }

  /// The node's address.
  ///
  /// SAFETY: a noncopyable part of an object does not move, as its atomic requires. The node is
  /// the first field.
  var pointer: UnsafeMutablePointer<Node> {
    withUnsafePointer(to: self) {
      UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Node.self)
    }
  }

  /// Retains the waiter, before the node is handed over.
  borrowing func keep(_ waiter: Waiter) {
    // SAFETY: balanced by `takeOwner`, which the code that takes the node out calls.
    let kept = Unmanaged.passRetained(waiter).toOpaque()
    owner.store(kept)
  }

  /// Returns the waiter whose node was taken out, and releases the reference that `keep` took.
  borrowing func takeOwner() -> Waiter {
    let kept = owner.load()!
    return Unmanaged<Waiter>.fromOpaque(kept).takeRetainedValue()  // SAFETY: retained by `keep`.
  }

  /// Returns the waiter of the node at this address.
  static func takeOwner(_ raw: UnsafeMutableRawPointer) -> Waiter {
    // SAFETY: the node is the first field of an `OwnedNode`.
    raw.assumingMemoryBound(to: OwnedNode<Node>.self).pointee.takeOwner()
  }
}
