// Groups — `async let` and groups.

package let groupScenarios: [String: AsyncScenario] = [
  "async-lets-give-their-values": {
    @Sendable func later(_ value: Int) async -> Int {
      await Task.yield()
      return value
    }
    @Sendable func failing() async throws -> Int { throw Failure(number: 7) }
    async let one = later(1)
    async let two = later(2)
    async let (three, four) = (later(3), later(4))
    report("sum", await one + two + three + four)
    async let broken = failing()
    do { report("broken", try await broken) } catch let failure as Failure {
      report("broken", failure.number)
    }
    // The same value may be awaited twice.
    report("again", await one)
  },

  "a-group-gives-each-child-once": {
    let values = await withTaskGroup(of: Int.self) { group in
      for number in 0..<1000 { group.addTask { number } }
      var values: [Int] = []
      for await value in group { values.append(value) }
      report("empty", group.isEmpty)
      report("next", await group.next() == nil)
      return values
    }
    report("each", values.sorted() == Array(0..<1000))
  },

  "a-group-nests": {
    @Sendable func sum(_ depth: Int) async -> Int {
      guard depth > 0 else { return 1 }
      return await withTaskGroup(of: Int.self) { group in
        for _ in 0..<4 { group.addTask { await sum(depth - 1) } }
        return await group.reduce(0, +)
      }
    }
    report("leaves", await sum(6))
  },

  "a-throwing-group-tells-each-result": {
    let results = await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          if number.isMultiple(of: 2) { throw Failure(number: number) }
          return number
        }
      }
      var results: [Int] = []
      while let result = await group.nextResult() {
        switch result {
        case .success(let value): results.append(value)
        case .failure(let error): results.append(-(error as! Failure).number)
        }
      }
      return results
    }
    report("values", results.filter { $0 > 0 }.sorted() == (0..<50).map { $0 * 2 + 1 })
    report("errors", results.filter { $0 <= 0 }.count)
  },

  "waiting-for-all-tells-the-first-error": {
    let ended = Tally()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { throw Failure(number: 3) }
        for _ in 0..<20 {
          group.addTask {
            await Task.yield()
            ended.increment()
          }
        }
        try await group.waitForAll()
      }
    } catch let failure as Failure { report("error", failure.number) }
    report("ended", ended.count)
  },

  "a-discarding-group-waits-for-all": {
    let ended = Tally()
    await withDiscardingTaskGroup { group in
      for _ in 0..<10_000 {
        group.addTask { ended.increment() }
      }
    }
    report("ended", ended.count)
  },

  "a-group-frees-what-its-children-hold": {
    let alive = Tally()
    await withTaskGroup(of: Tracked.self) { group in
      for _ in 0..<500 { group.addTask { Tracked(alive) } }
      // Nothing takes half of the results.
      for _ in 0..<250 { _ = await group.next() }
    }
    await allFreed(alive)
    report("alive", alive.count)
  },

  "a-task-frees-what-it-holds": {
    let alive = Tally()
    for _ in 0..<1000 {
      let tracked = Tracked(alive)
      await Task.detached { withExtendedLifetime(tracked) {} }.value
    }
    await allFreed(alive)
    report("alive", alive.count)
  },
]

private struct Failure: Error {
  let number: Int
}
