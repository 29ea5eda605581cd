// Depth — deep chains of awaits, and very many tasks.

package let depthScenarios: [String: AsyncScenario] = [
  "a-hundred-thousand-awaits-deep": {
    @Sendable func down(_ depth: Int) async -> Int {
      if depth == 0 { return 0 }
      if depth.isMultiple(of: 1000) { await Task.yield() }
      return await down(depth - 1) + 1
    }
    report("depth", await down(100_000))
  },

  "a-hundred-thousand-hops-deep": {
    let left = Floor()
    let right = Floor()
    report("depth", await left.down(100_000, other: right))
  },

  "ten-thousand-tasks-deep": {
    @Sendable func down(_ depth: Int) async -> Int {
      if depth == 0 { return 0 }
      return await Task { await down(depth - 1) + 1 }.value
    }
    report("depth", await down(10_000))
  },

  "a-hundred-thousand-tasks": {
    let count = 100_000
    let ran = Tally()
    let tasks = (0..<count).map { number in
      Task.detached {
        ran.increment()
        return number
      }
    }
    var sum = 0
    for task in tasks { sum += await task.value }
    report("ran", ran.count)
    report("sum", sum)
  },

  "a-hundred-thousand-children": {
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100_000 { group.addTask { number } }
      return await group.reduce(0, +)
    }
    report("sum", sum)
  },

  "a-hundred-thousand-yields": {
    let left = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 {
        group.addTask {
          for _ in 0..<10_000 {
            await Task.yield()
            left.increment()
          }
        }
      }
    }
    report("yields", left.count)
  },

  "a-yield-lets-others-run": {
    // A task that yields forever does not block another, even on one worker.
    let done = Gate()
    let stop = Tally()
    let spinner = Task.detached {
      while stop.count == 0 { await Task.yield() }
      return true
    }
    Task.detached { done.open() }
    await done.pass()
    stop.increment()
    report("ended", await spinner.value)
  },

  "an-immediate-task-begins-in-place": {
    let log = Log()
    let gate = Gate()
    let task = Task.immediate {
      log.add("begun")
      await gate.pass()
      log.add("resumed")
    }
    log.add("made")
    gate.open()
    await task.value
    report("order", log.joined)
    await withTaskGroup(of: Void.self) { group in
      group.addImmediateTask { log.add("member") }
      log.add("added")
    }
    report("member", log.all.suffix(2).joined(separator: ","))
    // If it is on the actor already, it starts immediately; otherwise it goes there first.
    await MainActor.run {
      Task.immediate { @MainActor in log.add("main") }
      log.add("after main")
    }
    report("main", log.all.suffix(2).joined(separator: ","))
    let hopped = await Task.immediate { @MainActor in
      MainActor.preconditionIsolated()
      return true
    }.value
    report("hopped", hopped)
  },
]

private actor Floor {
  func down(_ depth: Int, other: Floor) async -> Int {
    if depth == 0 { return 0 }
    return await other.down(depth - 1, other: self) + 1
  }
}
