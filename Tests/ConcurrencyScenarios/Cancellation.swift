// Cancellation — which code learns of a cancellation, and when.

package let cancellationScenarios: [String: AsyncScenario] = [
  "a-handler-runs-at-the-cancel": {
    let installed = Gate()
    let heard = Gate()
    let log = Log()
    let task = Task.detached {
      await withTaskCancellationHandler {
        installed.open()
        await heard.pass()
        log.add("operation")
      } onCancel: {
        log.add("handler")
        heard.open()
      }
      log.add("cancelled:\(Task.isCancelled)")
    }
    await installed.pass()
    task.cancel()
    log.add("returned")
    // Cancels again: a handler is called once.
    task.cancel()
    await task.value
    report(
      "handlerBeforeReturn",
      log.all.firstIndex(of: "handler")! < log.all.firstIndex(of: "returned")!)
    report("handlers", log.all.count { $0 == "handler" })
    report("cancelled", log.all.contains("cancelled:true"))
    // The cancelling thread may record its return after the task has ended.
    report("last", log.all.last { $0 != "returned" } == "cancelled:true")
  },

  "a-handler-of-a-cancelled-task-runs-at-once": {
    let log = Log()
    await Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      await withTaskCancellationHandler {
        log.add("operation")
      } onCancel: {
        log.add("handler")
      }
    }.value
    report("order", log.joined)
  },

  "checking-throws-once-cancelled": {
    let checked = Gate()
    let go = Gate()
    let task = Task.detached { () -> String in
      do { try Task.checkCancellation() } catch { return "too early" }
      checked.open()
      await go.pass()
      do {
        try Task.checkCancellation()
        return "not thrown"
      } catch is CancellationError { return "thrown" } catch { return "another error" }
    }
    await checked.pass()
    task.cancel()
    go.open()
    report("check", await task.value)
  },

  "a-cancelled-group-cancels-its-children": {
    let started = Tally()
    let cancelled = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          started.increment()
          do { try await Task.sleep(for: .seconds(1000)) } catch { cancelled.increment() }
        }
      }
      group.cancelAll()
      report("added", group.addTaskUnlessCancelled { started.increment() })
      report("groupCancelled", group.isCancelled)
      await group.waitForAll()
    }
    report("started", started.count)
    report("cancelled", cancelled.count)
    report("selfCancelled", Task.isCancelled)
  },

  "cancelling-a-task-reaches-its-children-and-no-others": {
    let ready = Tally()
    let allReady = Gate()
    let go = Gate()
    @Sendable func isCancelledInTheEnd() async -> Bool {
      if ready.increment() == 4 { allReady.open() }
      await go.pass()
      return Task.isCancelled
    }
    let task = Task.detached {
      let detached = Task.detached { await isCancelledInTheEnd() }
      let unstructured = Task { await isCancelledInTheEnd() }
      async let child = isCancelledInTheEnd()
      let member = await withTaskGroup(of: Bool.self) { group in
        group.addTask { await isCancelledInTheEnd() }
        return await group.next()!
      }
      report("child", await child)
      report("member", member)
      report("detached", await detached.value)
      report("unstructured", await unstructured.value)
    }
    await allReady.pass()
    task.cancel()
    go.open()
    await task.value
  },

  "an-async-let-not-awaited-is-cancelled": {
    let log = Log()
    @Sendable func sleeper() async -> Int {
      do {
        try await Task.sleep(for: .seconds(1000))
        log.add("slept")
      } catch { log.add("cancelled") }
      return 1
    }
    func leave() async {
      async let unused = sleeper()
      log.add("leaving")
    }
    await leave()
    log.add("left")
    report("ended", log.all.contains("cancelled"))
    // The scope waits for its children.
    report("last", log.all.last == "left")
  },

  "a-throwing-group-cancels-the-rest": {
    struct Failure: Error {}
    let cancelled = Tally()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            do { try await Task.sleep(for: .seconds(1000)) } catch {
              cancelled.increment()
              throw error
            }
          }
        }
        group.addTask { throw Failure() }
        try await group.next()
        report("threw", false)
      }
    } catch is Failure { report("threw", true) }
    report("cancelled", cancelled.count)
  },

  "a-discarding-group-cancels-by-itself": {
    struct Failure: Error {}
    let cancelled = Tally()
    do {
      try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<20 {
          group.addTask {
            do { try await Task.sleep(for: .seconds(1000)) } catch { cancelled.increment() }
          }
        }
        group.addTask { throw Failure() }
      }
      report("threw", false)
    } catch is Failure { report("threw", true) }
    report("cancelled", cancelled.count)
  },

  "cancelled-sleeps-end-at-once": {
    let begin = nanoseconds()
    let ended = Tally()
    for clock in 0..<3 {
      let task = Task.detached {
        do {
          switch clock {
          case 0: try await Task.sleep(for: .seconds(1000), clock: .continuous)
          case 1: try await Task.sleep(for: .seconds(1000), clock: .suspending)
          default: try await Task.sleep(nanoseconds: 1_000_000_000_000)
          }
        } catch is CancellationError { ended.increment() }
      }
      // Covers a cancellation before the sleep and one during the sleep.
      if clock != 1 { try await Task.sleep(for: .milliseconds(20)) }
      task.cancel()
      try await task.value
    }
    report("ended", ended.count)
    report("sleptThrough", nanoseconds() - begin > 500_000_000_000)
  },

  "a-stream-ends-when-its-reader-is-cancelled": {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let terminated = Gate()
    let log = Log()
    continuation.onTermination = { reason in
      if case .cancelled = reason { log.add("cancelled") } else { log.add("finished") }
      terminated.open()
    }
    let first = Gate()
    let reader = Task.detached {
      var count = 0
      for await _ in stream {
        count += 1
        first.open()
      }
      return count
    }
    continuation.yield(1)
    await first.pass()
    reader.cancel()
    report("read", await reader.value)
    await terminated.pass()
    report("reason", log.joined)
  },
]
