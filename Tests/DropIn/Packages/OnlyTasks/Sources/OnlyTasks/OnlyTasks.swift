// A package that imports nothing: it has tasks, an actor and the main actor.

public enum OnlyTasks {
  /// The label of the queues that Swift's runtime makes for its jobs.
  public static let label = "Swift global concurrent queue"

  private actor Counter {
    var count = 0
    func add() { count += 1 }
  }

  /// Counts in so many tasks. Returns the count.
  public static func runTasks(_ count: Int) async -> Int {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { await counter.add() } }
    }
    return await counter.count
  }

  /// Returns the result of `body`, which runs on the main actor.
  public static func onMainActor<T: Sendable>(_ body: @MainActor () -> T) async -> T {
    await body()
  }
}
