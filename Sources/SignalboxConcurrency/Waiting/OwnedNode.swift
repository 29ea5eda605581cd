// OwnedNode — the part of a waiter that the engine knows by its address.
//
// Touching    `node`: as its own type says. `owner`: written before the engine has the node,
//             read by whoever has taken the node out.

import Synchronization

/// A node and, behind it, the waiter that it is a part of: so a wait allocates nothing
/// besides its waiter.
struct OwnedNode<Node>: ~Copyable {
  private let node: Node
  private let owner = Atomic<UnsafeMutableRawPointer?>(nil)

  init(_ node: Node) { self.node = node }

  /// The node's address.
  ///
  /// SAFETY: a part of an object that cannot be copied stays where it is, as the atomic in
  /// it must. The node is the first field.
  var pointer: UnsafeMutablePointer<Node> {
    withUnsafePointer(to: self) {
      UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Node.self)
    }
  }

  /// Keeps the waiter from now on; the node is about to be handed over.
  borrowing func keep(_ waiter: Waiter) {
    // SAFETY: balanced by `takeOwner`, by the one who takes the node out.
    let kept = Unmanaged.passRetained(waiter).toOpaque()
    // order: relaxed; what hands the node over, and takes it out, orders it.
    owner.store(kept, ordering: .relaxed)
  }

  /// The waiter whose node was taken out, no longer kept.
  borrowing func takeOwner() -> Waiter {
    // order: relaxed; as in `keep`.
    let kept = owner.load(ordering: .relaxed)!
    return Unmanaged<Waiter>.fromOpaque(kept).takeRetainedValue()  // SAFETY: of `keep`.
  }

  /// What the node at this address is waited with.
  static func takeOwner(_ raw: UnsafeMutableRawPointer) -> Waiter {
    // SAFETY: the node is the first field of one of these.
    raw.assumingMemoryBound(to: OwnedNode<Node>.self).pointee.takeOwner()
  }
}
