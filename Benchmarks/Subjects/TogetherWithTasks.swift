import CBenchmark
import Synchronization

extension Subject {
  static let threadsTogether = Subject(
    name: "threads-together",
    title: "Dispatch load and task load together on two cores: threads running",
    goal: .value(2),
    measurement: .figure(unit: "threads") { effort in
      adoptExecutors()
      let load = SharedLoad(rounds: effort.samples > 1 ? 200 : 4)
      return Double(load.run())
    })
}

/// Items and tasks that compute side by side.
private final class SharedLoad: Sendable {
  private let rounds: Int
  private let running = Atomic<Int>(0)
  private let most = Atomic<Int>(0)

  init(rounds: Int) { self.rounds = rounds }

  /// - Returns: how many were within their work at once, at most.
  func run() -> Int {
    let group = DispatchGroup()
    for _ in 0..<16 {
      DispatchQueue.global().async(group: group) { self.work() }
      group.enter()
      Task.detached {
        self.work()
        group.leave()
      }
    }
    group.wait()
    // order: relaxed; the group orders all of them before this.
    return most.load(ordering: .relaxed)
  }

  private func work() {
    for _ in 0..<rounds {
      // order: relaxed; counts, nothing else.
      let now = running.add(1, ordering: .relaxed).newValue
      most.max(now, ordering: .relaxed)
      cbench_compute(100_000)
      running.subtract(1, ordering: .relaxed)  // order: relaxed; as above.
    }
  }
}
