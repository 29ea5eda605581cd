// TaskLocals — which task-local values are visible where.

enum Local {
  @TaskLocal static var name = "none"
  @TaskLocal static var depth = 0
}

package let taskLocalScenarios: [String: AsyncScenario] = [
  "task-locals-go-with-the-task": {
    await Local.$name.withValue("outer") {
      report("direct", Local.name)
      report("task", await Task { Local.name }.value)
      report("detached", await Task.detached { Local.name }.value)
      async let child = Local.name
      report("asyncLet", await child)
      let member = await withTaskGroup(of: String.self) { group in
        group.addTask { Local.name }
        return await group.next()!
      }
      report("member", member)
      report("actor", await Reader().read())
      report("mainActor", await MainActor.run { Local.name })
      report("continuation", await withCheckedContinuation { $0.resume(returning: Local.name) })
      await Task.yield()
      report("afterYield", Local.name)
      try? await Task.sleep(for: .milliseconds(5))
      report("afterSleep", Local.name)
      let gate = Gate()
      Task.detached { gate.open() }
      await gate.pass()
      report("afterForeignResume", Local.name)
      await Local.$name.withValue("inner") {
        report("nested", await Task { Local.name }.value)
      }
      report("restored", Local.name)
    }
    report("outside", Local.name)
  },

  "task-locals-of-many-tasks-do-not-mix": {
    let wrong = Tally()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          await Local.$depth.withValue(number) {
            for step in 0..<10 {
              if step.isMultiple(of: 3) { await Task.yield() }
              if Local.depth != number { wrong.increment() }
              await Local.$depth.withValue(-number) {
                await Task.yield()
                if Local.depth != -number { wrong.increment() }
              }
            }
          }
        }
      }
    }
    report("wrong", wrong.count)
  },
]

private actor Reader {
  func read() -> String { Local.name }
}
