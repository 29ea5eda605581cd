// SequentialOrder — the single total order S of the seq_cst operations.
//
// C++20 [atomics.order] requires a total order S of all seq_cst operations and
// fences that meets these constraints. An *event* is an access to an
// atomic location, `cob` is coherence-ordered-before, X and Y are seq_cst fences:
//
//   S1  A strongly happens before B                     ⇒  A before B in S
//   S2  A cob B, both seq_cst                           ⇒  A before B
//   S3  A cob B, A seq_cst, B happens before Y          ⇒  A before Y
//   S4  X happens before A, A cob B, B seq_cst          ⇒  X before B
//   S5  X happens before A, A cob B, B happens before Y ⇒  X before Y
//
// S exists if and only if the constraints form no cycle. The machine therefore
// keeps the graph of the constraints and discards an execution as soon as a
// cycle closes. It does *not* identify S with the order in which the machine
// executes: that would forbid outcomes which C++20 and ARMv8 allow (see the
// litmus test `aRelaxedStoreMayOvertakeASequentiallyConsistentOne`).
//
// Nodes       the n-th seq_cst operation of thread t is bit t·16+n. The name does not depend
//             on the interleaving, so equal graphs are equal states.
// Differs     a seq_cst fence that itself synchronizes with an acquiring read comes before
//             the reader's later seq_cst accesses. RC11 has this edge; the letter of S1
//             leaves it out.
// Sources     ISO C++20 [atomics.order]; O. Lahav, V. Vafeiadis, J. Kang, C.-K. Hur,
//             D. Dreyer, "Repairing Sequential Consistency in C/C++11" (PLDI 2017).

/// The graph of constraints on S, closed under transitivity.
struct SequentialOrder {
  static let maximumThreads = 4
  static let maximumNodesPerThread = 16

  /// The existing nodes, and which of them are fences.
  private(set) var nodes: UInt64 = 0
  private(set) var fences: UInt64 = 0

  /// For each node, all nodes that come after it. Empty until the first node exists.
  private var after: [UInt64] = []

  /// Makes a node for the next seq_cst operation of `thread`.
  mutating func newNode(of thread: Int, isFence: Bool) -> Int {
    if after.isEmpty { after = Array(repeating: 0, count: 64) }
    precondition(thread < Self.maximumThreads, "too many threads use seq_cst")
    let first = thread &* Self.maximumNodesPerThread
    for node in first..<(first + Self.maximumNodesPerThread) where nodes & (1 &<< node) == 0 {
      nodes |= 1 &<< UInt64(node)
      if isFence { fences |= 1 &<< UInt64(node) }
      return node
    }
    preconditionFailure("a thread executes too many seq_cst operations")
  }

  /// Adds edges from every node of `sources` to every one of `targets`.
  /// Returns false if that closes a cycle.
  mutating func link(_ sources: UInt64, to targets: UInt64) -> Bool {
    if sources == 0 || targets == 0 { return true }
    var reached = targets
    var rest = targets
    while rest != 0 {
      reached |= after[rest.trailingZeroBitCount]
      rest &= rest &- 1
    }
    if reached & sources != 0 { return false }
    // Every node that reaches a source now also reaches the targets and the nodes after them.
    rest = nodes
    while rest != 0 {
      let node = rest.trailingZeroBitCount
      rest &= rest &- 1
      if sources & (1 &<< UInt64(node)) != 0 || after[node] & sources != 0 {
        if reached & (1 &<< UInt64(node)) != 0 { return false }
        after[node] |= reached
      }
    }
    return true
  }

  func append(to key: inout [UInt64]) {
    key.append(nodes)
    key.append(fences)
    var rest = nodes
    while rest != 0 {
      key.append(after[rest.trailingZeroBitCount])
      rest &= rest &- 1
    }
  }
}
