// LockGraph — which lock was taken while which other one was held.
//
// A directed graph: its edges go from what was held to what was taken. A cycle in it
// means that threads may wait for each other, if they meet. Each new edge is asked
// whether it closes one; none is asked twice.
//
// Locks of one name are one class, and stand for each other: an order that was seen
// of two of them holds for all. Among themselves they are looked at one by one, for
// a program may well lock several of a class in an order of its own (two accounts,
// the one with the lower number first). A lock without a name is a class of its own.
//
// Rejected    levels that are kept up to date (Pearce and Kelly): cheaper for a new
//             edge that closes nothing. Here new edges are few, and all others are
//             answered by a look into a table.
// Sources     J. Corbet, "The kernel lock validator" (LWN, 2006): orders are learned of
//             classes of locks. Theirs are classes by the place of initialisation.

struct LockGraph {
  /// A class of locks, or one of its locks.
  typealias Node = UInt64

  /// A lock, as it was when it was taken.
  struct Lock: Sendable, Equatable {
    /// The lock alone. Never used again, as addresses are.
    let single: Node
    /// All locks of its name; the same as `single` if it has none.
    let group: Node
    /// How often it had been left by a thread that did not hold it.
    var foreignLeaves = 0

    /// One whose orders are not learned.
    static var unknown: Lock { Lock(single: 0, group: 0) }
  }

  /// How an edge came about: who held and took what, and where.
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

  /// Goes on from one graph to the next: what a thread noted for an older one must not
  /// be taken for something of this one.
  private var lastNode: Node
  private var groups: [String: Node] = [:]
  private var known: [UInt: Known] = [:]
  private var after: [Node: [Node: Witness]] = [:]
  private var before: [Node: Set<Node>] = [:]

  init(after former: LockGraph? = nil) { lastNode = former?.lastNode ?? 0 }

  // MARK: Locks

  /// The lock at `address`, which is learned if it was not known by that name.
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

  /// Forgets the lock at `address`, which is freed, and the orders that it alone was
  /// seen in. Those of its class stay.
  mutating func forget(_ address: UInt) {
    guard let node = known.removeValue(forKey: address)?.lock.single else { return }
    for next in (after.removeValue(forKey: node) ?? [:]).keys { before[next]?.remove(node) }
    for former in before.removeValue(forKey: node) ?? [] { after[former]?[node] = nil }
  }

  /// A thread that did not hold the lock has left it: whoever held it does so no more.
  mutating func noteForeignLeave(_ address: UInt) { known[address]?.lock.foreignLeaves += 1 }

  /// Whether nobody but the holder of `lock` can have left it since it was taken.
  func isCurrent(_ lock: Lock, at address: UInt) -> Bool {
    lock == .unknown || known[address]?.lock == lock
  }

  // MARK: Orders

  /// The edge from `held` to `taken`; nil if these are one lock, or one is not known.
  static func edge(_ held: Lock, _ taken: Lock) -> (from: Node, to: Node)? {
    if held == .unknown || taken == .unknown { return nil }
    if held.group != taken.group { return (held.group, taken.group) }
    return held.single == taken.single ? nil : (held.single, taken.single)
  }

  func contains(_ edge: (from: Node, to: Node)) -> Bool { after[edge.from]?[edge.to] != nil }

  /// Adds an edge that is not there.
  ///
  /// - Returns: the cycle that it closes, if it closes one: the new edge first, and
  ///   then the others in their order. As short as there is one.
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

  /// How many locks and edges it holds.
  var size: (locks: Int, edges: Int) {
    (known.count, after.values.reduce(0) { $0 + $1.count })
  }
}
