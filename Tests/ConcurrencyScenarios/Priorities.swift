// Priorities — the priority that a task sees for itself.

package let priorityScenarios: [String: AsyncScenario] = [
  "a-task-has-the-priority-it-was-given": {
    for (name, priority) in priorities {
      let seen: TaskPriority = await withCheckedContinuation { continuation in
        // Not awaited as a task, because that would raise it.
        Task.detached(priority: priority) { continuation.resume(returning: Task.currentPriority) }
      }
      report(name, seen == priority)
    }
  },

  "a-task-inherits-the-priority-of-its-maker": {
    await withCheckedContinuation { continuation in
      Task.detached(priority: .utility) {
        let plain = await withCheckedContinuation { continuation in
          Task { continuation.resume(returning: Task.currentPriority) }
        }
        report("plain", plain == .utility)
        let detached = await withCheckedContinuation { continuation in
          Task.detached { continuation.resume(returning: Task.currentPriority) }
        }
        report("detached", detached == .utility)
        async let child = Task.currentPriority
        report("child", await child == .utility)
        let member = await withTaskGroup(of: TaskPriority.self) { group in
          group.addTask { Task.currentPriority }
          return await group.next()
        }
        report("member", member == .utility)
        report("base", Task.basePriority == .utility)
        continuation.resume()
      }
    }
  },

  "awaiting-a-task-raises-it": {
    let installed = Gate()
    let raised = Gate()
    let low = Task.detached(priority: .background) {
      let before = Task.currentPriority
      await withTaskPriorityEscalationHandler {
        installed.open()
        await raised.pass()
      } onPriorityEscalated: { old, new in
        report("handlerSawTheOld", old == .background)
        report("handlerSawTheNew", new == .high)
        raised.open()
      }
      report("before", before == .background)
      report("after", Task.currentPriority == .high)
      report("base", Task.basePriority == .background)
    }
    await installed.pass()
    await Task.detached(priority: .high) { await low.value }.value
  },

  "a-task-is-raised-by-hand": {
    let installed = Gate()
    let raised = Gate()
    let low = Task.detached(priority: .background) {
      await withTaskPriorityEscalationHandler {
        installed.open()
        await raised.pass()
      } onPriorityEscalated: { _, new in
        report("handlerSawTheNew", new == .userInitiated)
      }
      return Task.currentPriority
    }
    await installed.pass()
    low.escalatePriority(to: .userInitiated)
    raised.open()
    let seen = await Task.detached(priority: .background) { await low.value }.value
    report("after", seen == .userInitiated)
  },

  "raising-a-parent-raises-its-children": {
    let running = Gate()
    let raised = Gate()
    let parent = Task.detached(priority: .background) {
      await withTaskGroup(of: TaskPriority.self) { group in
        for _ in 0..<4 {
          group.addTask {
            running.open()
            await raised.pass()
            return Task.currentPriority
          }
        }
        var high = 0
        for await priority in group where priority == .high { high += 1 }
        report("raisedChildren", high)
      }
    }
    await running.pass()
    parent.escalatePriority(to: .high)
    raised.open()
    await Task.detached(priority: .background) { await parent.value }.value
  },
]

private let priorities: [(String, TaskPriority)] = [
  ("high", .high), ("medium", .medium), ("low", .low), ("background", .background),
  ("userInitiated", .userInitiated), ("utility", .utility),
  ("between", TaskPriority(rawValue: 20)),
]
