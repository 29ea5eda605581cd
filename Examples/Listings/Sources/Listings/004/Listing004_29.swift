import SignalboxDispatch
import Synchronization

extension Listing {
  static let number004_29 = Listing(
    "004-29", heading: "Memory barriers and volatile variables",
    shows: "two stores on one processor, two loads on another",
    outcome: "24 orders are possible; a barrier restricts them",
    truth:
      "volatile orders nothing and Swift has no such word: ordering belongs to the atomic "
      + "itself",
    rows: ["A2", "A3"]
  ) { story in
    // On paper: every order of the four, and those that keep each processor's.
    let all = Document004.orders(of: [.storeA, .storeB, .loadA, .loadB])
    let kept = all.filter { order in
      order.firstIndex(of: .storeA)! < order.firstIndex(of: .storeB)!
        && order.firstIndex(of: .loadA)! < order.firstIndex(of: .loadB)!
    }
    story.check(all.count, is: 24, "four operations have 24 orders")
    story.check(kept.count, is: 6, "six are left if each processor keeps its own order")

    // What can be read. As printed (x = A, then y = B) even the six orders allow
    // everything; with the loads the other way round, they do not allow the new
    // B beside the old A. That is what a barrier is for.
    let printed = Set(kept.map { Document004.outcome(of: $0) })
    let anyOrder = Set(all.map { Document004.outcome(of: $0) })
    story.check(printed.count, is: 4, "in the printed order of loads all four outcomes remain")
    let message = all.filter { order in
      order.firstIndex(of: .storeA)! < order.firstIndex(of: .storeB)!
        && order.firstIndex(of: .loadB)! < order.firstIndex(of: .loadA)!
    }
    let allowed = Set(message.map { Document004.outcome(of: $0) })
    story.check(
      anyOrder.subtracting(allowed), is: [Document004.Outcome(x: 0, y: 2)],
      "with B loaded first the barrier rules out one: new B, old A")

    // On real processors, with releasing stores and acquiring loads.
    var counts: [Document004.Outcome: Int] = [:]
    let rounds = 20_000
    let cells = (0..<rounds).map { _ in Document004.TwoCells() }
    let outcomes = Cell<[Document004.Outcome]>([])
    let start = Rendezvous(of: 2)
    runSideBySide(2) { processor in
      start.arrive()
      if processor == 0 {
        for cell in cells { cell.store() }
      } else {
        let seen = cells.map { $0.load() }
        outcomes.value = seen
      }
    }
    for outcome in outcomes.value { counts[outcome, default: 0] += 1 }
    for (outcome, count) in counts.sorted(by: { $0.value > $1.value }) {
      story.tell("x = \(outcome.x), y = \(outcome.y): \(count)")
    }
    story.check(outcomes.value.count, is: rounds, "every round has an outcome")
    story.check(
      Set(counts.keys).subtracting(allowed), is: [], "only outcomes that are allowed were seen")
  }
}

extension Document004 {
  enum Operation: Sendable {
    case storeA, storeB, loadA, loadB
  }

  struct Outcome: Hashable, Sendable {
    var x: Int
    var y: Int
  }

  /// Every order of the operations.
  static func orders(of operations: [Operation]) -> [[Operation]] {
    guard !operations.isEmpty else { return [[]] }
    return operations.indices.flatMap { index in
      var rest = operations
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }

  /// What is read if the operations take effect in this order.
  static func outcome(of order: [Operation]) -> Outcome {
    var (a, b) = (0, 0)
    var outcome = Outcome(x: 0, y: 0)
    for operation in order {
      switch operation {
      case .storeA: a = 1
      case .storeB: b = 2
      case .loadA: outcome.x = a
      case .loadB: outcome.y = b
      }
    }
    return outcome
  }

  /// The two variables of one round.
  final class TwoCells: Sendable {
    private let a = Atomic(0)
    private let b = Atomic(0)

    func store() {
      // order: relaxed; the releasing store below makes it visible.
      a.store(1, ordering: .relaxed)
      // order: releasing; who acquires this 2 sees the 1 stored before.
      b.store(2, ordering: .releasing)
    }

    func load() -> Outcome {
      // order: acquiring; pairs with the releasing store of 2.
      let y = b.load(ordering: .acquiring)
      // order: relaxed; placed after the load above by its acquiring.
      let x = a.load(ordering: .relaxed)
      return Outcome(x: x, y: y)
    }
  }
}
