// LitmusTest — two threads of two steps each on two places in memory, and what comes of
// the steps in every order.

enum Place: Int, Sendable {
  case a, b
}

/// What a load puts its value into.
enum Register: Int, Sendable {
  case x, y
}

enum Step: Equatable, Sendable {
  case store(Int, Place)
  case load(Register, Place)

  var description: String {
    switch self {
    case .store(let value, let place): "\(place) = \(value)".uppercased()
    case .load(let register, let place): "\(register) = \("\(place)".uppercased())"
    }
  }
}

/// What was read: 0 where the store had not come yet.
struct Outcome: Hashable, Comparable, Sendable {
  var x = 0
  var y = 0

  static func < (a: Outcome, b: Outcome) -> Bool { (a.x, a.y) < (b.x, b.y) }
}

struct LitmusTest: Sendable {
  let name: String
  let question: String
  let first: [Step]
  let second: [Step]
  /// What the barriers rule out, and no order gives that keeps each thread's own.
  let forbidden: Outcome

  /// Each thread says that it comes, and looks whether the other has.
  static let storeBuffering = LitmusTest(
    name: "SB, store buffering",
    question: "Each thread stores, and looks for the other's store. Can both miss it?",
    first: [.store(1, .a), .load(.x, .b)], second: [.store(1, .b), .load(.y, .a)],
    forbidden: Outcome(x: 0, y: 0))

  /// The documents' two processors, with the loads in the order in which it matters.
  static let messagePassing = LitmusTest(
    name: "MP, message passing",
    question: "One thread stores A, then B. Can the other see the new B and the old A?",
    first: [.store(1, .a), .store(2, .b)], second: [.load(.y, .b), .load(.x, .a)],
    forbidden: Outcome(x: 0, y: 2))

  // MARK: On paper

  /// Every order of the four steps.
  var orders: [[Step]] { Self.orders(of: first + second) }

  /// Those in which each thread's steps come in their own order.
  var keptOrders: [[Step]] {
    orders.filter { order in
      [first, second].allSatisfy { steps in
        order.firstIndex(of: steps[0])! < order.firstIndex(of: steps[1])!
      }
    }
  }

  private static func orders(of steps: [Step]) -> [[Step]] {
    if steps.isEmpty { return [[]] }
    return steps.indices.flatMap { index in
      var rest = steps
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }

  /// What is read if the steps take effect one after the other.
  static func outcome(of order: [Step]) -> Outcome {
    var memory = [0, 0]
    var outcome = Outcome()
    for step in order {
      switch step {
      case .store(let value, let place): memory[place.rawValue] = value
      case .load(.x, let place): outcome.x = memory[place.rawValue]
      case .load(.y, let place): outcome.y = memory[place.rawValue]
      }
    }
    return outcome
  }

  /// How many of the orders give each outcome.
  static func counts(of orders: [[Step]]) -> [Outcome: Int] {
    orders.reduce(into: [:]) { $0[outcome(of: $1), default: 0] += 1 }
  }
}
