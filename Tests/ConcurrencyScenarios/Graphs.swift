// Graphs — graphs of tasks, actors, groups and streams, drawn from a seed. Each must give the
// result of a plain function.

package let graphScenarios: [String: AsyncScenario] = [
  "a-random-graph": {
    let seed = UInt64(bitPattern: Int64(integerArgument(0, default: 1)))
    var random = Mixer(state: seed)
    let wrong = Log()
    var nodes = 0
    for graph in 0..<20 {
      let node = Node.draw(depth: 5, &random)
      nodes += node.count
      let expected = node.value
      let workshop = Workshop()
      let found = await node.compute(workshop)
      let steps = await workshop.steps
      if found != expected || steps != node.workshopSteps {
        wrong.add("\(graph): \(found) for \(expected), \(steps) for \(node.workshopSteps)")
      }
    }
    report("graphs", nodes > 20)
    report("wrong", wrong.joined)
  }
]

/// The mixing function of SplitMix, as in the tests' own generator.
private struct Mixer: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// An actor that all nodes of a graph share.
private actor Workshop {
  private(set) var steps = 0

  func work(_ number: Int) -> Int {
    steps += 1
    return number
  }
}

private indirect enum Node: Sendable {
  enum Way: CaseIterable {
    case group, lets, tasks, detached, stream, continuation, main, sleep, immediate
  }

  case leaf(Int)
  case inner(Way, [Node])

  static func draw(depth: Int, _ random: inout Mixer) -> Node {
    if depth == 0 || Int.random(in: 0..<6, using: &random) == 0 {
      return .leaf(Int.random(in: -1000...1000, using: &random))
    }
    let children = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      draw(depth: depth - 1, &random)
    }
    return .inner(Way.allCases.randomElement(using: &random)!, children)
  }

  var count: Int {
    switch self {
    case .leaf: 1
    case .inner(_, let children): children.reduce(1) { $0 + $1.count }
    }
  }

  /// One step for each leaf.
  var workshopSteps: Int {
    switch self {
    case .leaf: 1
    case .inner(_, let children): children.reduce(0) { $0 + $1.workshopSteps }
    }
  }

  /// The graph's result, computed by a plain function.
  var value: Int {
    switch self {
    case .leaf(let number): number
    case .inner(_, let children): Self.combine(children.map(\.value))
    }
  }

  /// The result depends on the order.
  private static func combine(_ values: [Int]) -> Int {
    values.reduce(17) { $0 &* 31 &+ $1 }
  }

  func compute(_ workshop: Workshop) async -> Int {
    switch self {
    case .leaf(let number): await workshop.work(number)
    case .inner(let way, let children):
      Self.combine(await Self.compute(children, way, workshop))
    }
  }

  private static func compute(
    _ children: [Node], _ way: Way, _ workshop: Workshop
  ) async -> [Int] {
    switch way {
    case .group:
      return await withTaskGroup(of: (Int, Int).self) { group in
        for (index, child) in children.enumerated() {
          group.addTask { (index, await child.compute(workshop)) }
        }
        var values = [Int](repeating: 0, count: children.count)
        for await (index, value) in group { values[index] = value }
        return values
      }
    case .lets:
      let half = children.count / 2
      async let left = compute(Array(children[..<half]), .tasks, workshop)
      async let right = compute(Array(children[half...]), .detached, workshop)
      return await left + right
    case .tasks:
      return await values(children.map { child in Task { await child.compute(workshop) } })
    case .detached:
      return await values(children.map { child in Task.detached { await child.compute(workshop) } })
    case .immediate:
      return await values(
        children.map { child in Task.immediate { await child.compute(workshop) } })
    case .stream:
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      Task {
        for child in children { continuation.yield(await child.compute(workshop)) }
        continuation.finish()
      }
      return await stream.reduce(into: []) { $0.append($1) }
    case .continuation:
      var values: [Int] = []
      for child in children {
        values.append(
          await withCheckedContinuation { continuation in
            Task.detached { continuation.resume(returning: await child.compute(workshop)) }
          })
      }
      return values
    case .main:
      var values: [Int] = []
      for child in children {
        values.append(await Task { @MainActor in await child.compute(workshop) }.value)
      }
      return values
    case .sleep:
      var values: [Int] = []
      for child in children {
        try? await Task.sleep(for: .microseconds(200))
        values.append(await child.compute(workshop))
      }
      return values
    }
  }

  private static func values(_ tasks: [Task<Int, Never>]) async -> [Int] {
    var values: [Int] = []
    for task in tasks { values.append(await task.value) }
    return values
  }
}
