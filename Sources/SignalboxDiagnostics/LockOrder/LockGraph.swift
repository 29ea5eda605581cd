// LockGraph — which lock was taken while which other one was held.
//
// A directed graph: each edge leads from a held lock to one that was taken. A cycle means
// that threads may deadlock if they run at the same time. The graph checks once, when an
// edge is added, whether it closes a cycle.
//
// Locks with the same name form a class: an order that was seen for one lock of a class holds for
// all locks of that class. Among themselves they are separate nodes, because a program may lock
// several of a class in a well-defined order (two accounts: the account with the lower number
// first). A lock without a name is a class of its own.
//
// Rejected    levels that are kept up to date (Pearce and Kelly): cheaper for a new edge that
//             closes no cycle. Here new edges are few, and a table finds all known edges.
// Sources     J. Corbet, "The kernel lock validator" (LWN, 2006): learn the order of lock
//             classes. There, a class is the locks that one place in the code initialises.

import SignalboxRuntime

struct LockGraph {
  /// A class of locks, or one of its locks.
  typealias Node = UInt64

  /// A lock, as it was when it was taken.
  struct Lock: Sendable, Equatable {
    /// The node of this lock. Unlike addresses, nodes are never reused.
    let single: Node
    /// The node of all locks with its name; the same as `single` if it has no name.
    let group: Node
    /// How many times a thread that did not hold the lock had unlocked it.
    var foreignLeaves = 0

    /// A lock whose orders are not learned.
    static var unknown: Lock { Lock(single: 0, group: 0) }
  }

  /// How an edge was first seen: the thread, the two locks, and where it took them.
  struct Witness: Sendable {
    let thread: String
    let held: String
    let heldAt: Backtrace
    let taken: String
    let takenAt: Backtrace
  }

  private struct Known {
    var lock: Lock
    let name: String
  }

  /// Continues from one graph to the next, so that a node which a thread recorded for an
  /// earlier graph never names a lock of this one.
  private var lastNode: Node
  private var groups: [String: Node] = [:]
  private var known: [UInt: Known] = [:]
  private var after: [Node: [Node: Witness]] = [:]
  private var before: [Node: Set<Node>] = [:]

  init(after former: LockGraph? = nil) { lastNode = former?.lastNode ?? 0 }

  // MARK: Locks

  /// The lock at `address`. Creates it if no lock with this name is known there.
  mutating func lock(at address: UInt, name: String) -> Lock {
    if let old = known[address], old.name == name { return old.lock }
    forget(address)
    let single = makeNode()
    var group = single
    if !name.isEmpty {
      group = groups[name] ?? makeNode()
      groups[name] = group
    }
    let lock = Lock(single: single, group: group)
    known[address] = Known(lock: lock, name: name)
    return lock
  }

  private mutating func makeNode() -> Node {
    lastNode += 1
    return lastNode
  }

  /// Forgets the lock at `address`, which is being freed, and the orders of that lock
  /// alone. The orders of its class remain.
  mutating func forget(_ address: UInt) {
    guard let node = known.removeValue(forKey: address)?.lock.single else { return }
    for next in (after.removeValue(forKey: node) ?? [:]).keys { before[next]?.remove(node) }
    for former in before.removeValue(forKey: node) ?? [] { after[former]?[node] = nil }
  }

  /// Records that a thread unlocked a lock which another thread held. That other thread no longer
  /// holds the lock.
  mutating func noteForeignLeave(_ address: UInt) { known[address]?.lock.foreignLeaves += 1 }

  /// Whether only the holder of `lock` can have unlocked it since it was taken.
  func isCurrent(_ lock: Lock, at address: UInt) -> Bool {
    lock == .unknown || known[address]?.lock == lock
  }

  // MARK: Orders

  /// The edge from `held` to `taken`; nil if both are the same lock, or one is unknown.
  static func edge(_ held: Lock, _ taken: Lock) -> (from: Node, to: Node)? {
    if held == .unknown || taken == .unknown { return nil }
    if held.group != taken.group { return (held.group, taken.group) }
    return held.single == taken.single ? nil : (held.single, taken.single)
  }

  func contains(_ edge: (from: Node, to: Node)) -> Bool { after[edge.from]?[edge.to] != nil }

  /// Adds a new edge.
  ///
  /// - Returns: a shortest cycle that the edge closes, if any: the new edge first, then
  ///   the others in order.
  mutating func add(_ edge: (from: Node, to: Node), _ witness: Witness) -> [Witness]? {
    guard !contains(edge) else { return nil }
    let rest = shortestWay(from: edge.to, to: edge.from)
    after[edge.from, default: [:]][edge.to] = witness
    before[edge.to, default: []].insert(edge.from)
    return rest.map { [witness] + $0 }
  }

  private func shortestWay(from start: Node, to end: Node) -> [Witness]? {
    var cameFrom: [Node: Node] = [start: start]
    var front = [start]
    while !front.isEmpty {
      var next: [Node] = []
      for node in front {
        for neighbour in (after[node] ?? [:]).keys where cameFrom[neighbour] == nil {
          cameFrom[neighbour] = node
          if neighbour == end { return way(from: start, to: end, cameFrom) }
          next.append(neighbour)
        }
      }
      front = next
    }
    return nil
  }

  private func way(from start: Node, to end: Node, _ cameFrom: [Node: Node]) -> [Witness] {
    var way: [Witness] = []
    var node = end
    while node != start, let former = cameFrom[node] {
      if let witness = after[former]?[node] { way.append(witness) }
      node = former
    }
    return way.reversed()
  }

  /// The number of locks and edges.
  var size: (locks: Int, edges: Int) {
    (known.count, after.values.reduce(0) { $0 + $1.count })
  }
}
