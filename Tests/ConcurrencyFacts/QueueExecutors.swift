// QueueExecutors — queues that run the jobs of actors and tasks.

import ConcurrencyScenarios
import SignalboxConcurrency
import SignalboxDispatch

let queueExecutorScenarios: [String: AsyncScenario] = [
  "an-actor-on-a-serial-queue": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let ledger = Ledger(queue)
    let group = DispatchGroup()
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<8 {
        tasks.addTask { for _ in 0..<1000 { await ledger.step() } }
      }
      // The queue's items are as exclusive as the actor's jobs.
      for _ in 0..<1000 { queue.async(group: group) { ledger.stepAssumed() } }
      for _ in 0..<200 { syncOnto(queue) { ledger.stepAssumed() } }
    }
    await group.allEnded()
    report("steps", await ledger.steps)
    report("overlaps", await ledger.overlaps)
    report("strays", await ledger.strays)
  },

  "an-actor-on-a-serial-queue-suspends": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let ledger = Ledger(queue)
    await ledger.stay()
    report("steps", await ledger.steps)
    report("strays", await ledger.strays)
  },

  "an-actor-that-calls-itself-stays-on-its-queue": {
    let log = Log()
    let queue = DispatchSerialQueue(label: "actor.queue")
    await SelfCaller(queue, log).begin()
    await withUnsafeContinuation { done in queue.async { done.resume() } }
    report("order", log.joined)
  },

  "two-actors-on-one-queue-are-one": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let one = Ledger(queue)
    let other = Ledger(queue)
    await withTaskGroup(of: Void.self) { tasks in
      for task in 0..<8 {
        tasks.addTask {
          for step in 0..<1000 {
            if (task + step).isMultiple(of: 2) {
              await one.stepBoth(other)
            } else {
              await other.stepBoth(one)
            }
          }
        }
      }
    }
    let sum = await one.steps + other.steps
    report("steps", sum)
    let overlaps = await one.overlaps + other.overlaps
    report("overlaps", overlaps)
  },

  "a-queue-that-targets-the-actors-counts-as-it": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let inner = DispatchQueue(label: "inner.queue", target: queue)
    let ledger = Ledger(queue)
    await withCheckedContinuation { done in
      inner.async {
        ledger.stepAssumed()
        done.resume()
      }
    }
    report("steps", await ledger.steps)
  },

  "an-actor-on-an-inactive-queue-waits": {
    let queue = DispatchSerialQueue(label: "actor.queue", attributes: .initiallyInactive)
    let ledger = Ledger(queue)
    let log = Log()
    let task = Task.immediate { await ledger.note("job", log) }
    try await Task.sleep(for: .milliseconds(20))
    log.add("activated")
    queue.activate()
    await task.value
    report("order", log.joined)
  },

  "an-actor-on-a-queue-that-targets-main": {
    let queue = DispatchSerialQueue(label: "actor.queue", target: .main)
    let ledger = Ledger(queue)
    let place = await ledger.place()
    report("onFirstThread", place)
    await ledger.stay()
    report("steps", await ledger.steps)
    report("strays", await ledger.strays)
  },

  "actors-on-queues-are-freed": {
    let alive = Tally()
    // Runs many rounds, to catch the moments in which the last of its tasks ends and frees the
    // actor and the queue while that task's submitter still uses the queue.
    for _ in 0..<20_000 {
      let holder = Holder(DispatchSerialQueue(label: "short.queue"), alive)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await holder.use() } }
      }
    }
    await allFreed(alive)
    report("alive", alive.count)
  },

  "jobs-of-an-actor-keep-the-order-of-its-queue": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let ledger = Ledger(queue)
    let log = Log()
    queue.suspend()
    var tasks: [Task<Void, Never>] = []
    for number in 0..<100 {
      queue.async { log.add("item \(number)") }
      // The task is in the actor's queue when this returns.
      tasks.append(Task.immediate { await ledger.note("job \(number)", log) })
    }
    queue.resume()
    for task in tasks { await task.value }
    report("inOrder", log.all == (0..<100).flatMap { ["item \($0)", "job \($0)"] })
  },

  "jobs-outlive-the-name-of-their-queue": {
    // Only the pending jobs hold the queue.
    let ran = Tally()
    for _ in 0..<200 {
      var tasks: [Task<Void, Never>] = []
      do {
        let queue = DispatchSerialQueue(label: "short.queue")
        let guest = Guest(queue)
        queue.suspend()
        for _ in 0..<10 { tasks.append(Task.immediate { await guest.step(ran) }) }
        queue.resume()
      }
      for task in tasks { await task.value }
    }
    report("ran", ran.count)
  },

  "a-wrong-queue-is-no-actor": {
    let ledger = Ledger(DispatchSerialQueue(label: "the.right.queue"))
    let wrong = DispatchQueue(label: "the.wrong.queue")
    await withCheckedContinuation { done in
      wrong.async {
        ledger.stepAssumed()
        done.resume()
      }
    }
    report("reached", true)
  },
  "a-task-without-a-queue-is-no-actor": {
    assume(Ledger(DispatchSerialQueue(label: "the.right.queue")))
    report("reached", true)
  },

  "a-queue-as-a-preference-of-tasks": {
    for (name, queue) in [
      ("concurrent", DispatchQueue(label: "preferred", attributes: .concurrent)),
      ("serial", DispatchQueue(label: "preferred")),
      ("serialClass", DispatchSerialQueue(label: "preferred")),
      ("utility", DispatchQueue(label: "preferred", qos: .utility)),
      ("global", DispatchQueue.global()),
    ] {
      @Sendable func isHere() -> Bool { DispatchQueue.current === queue }
      await withTaskExecutorPreference(queue) {
        report("\(name)Begins", isHere())
        await Task.yield()
        report("\(name)Yields", isHere())
        try? await Task.sleep(for: .milliseconds(5))
        report("\(name)Sleeps", isHere())
        async let child = isHere()
        report("\(name)Child", await child)
        let members = await withTaskGroup(of: Bool.self) { group in
          for _ in 0..<100 { group.addTask { isHere() } }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        report("\(name)Members", members)
        // A default actor's own code runs there too.
        report("\(name)Actor", await Bystander().runs(isHere))
        report("\(name)Main", await MainActor.run { isHere() })
        report("\(name)Back", isHere())
        report("\(name)Unstructured", await Task { isHere() }.value)
      }
      report("\(name)After", isHere())
      report("\(name)Task", await Task(executorPreference: queue) { isHere() }.value)
    }
  },

  "an-actors-queue-goes-before-a-preference": {
    let queue = DispatchSerialQueue(label: "actor.queue")
    let ledger = Ledger(queue)
    let preferred = DispatchQueue(label: "preferred", attributes: .concurrent)
    @Sendable func isPreferred() -> Bool { DispatchQueue.current === preferred }
    var back = 0
    await withTaskExecutorPreference(preferred) {
      for _ in 0..<100 {
        await ledger.step()
        if isPreferred() { back += 1 }
      }
    }
    report("steps", await ledger.steps)
    report("strays", await ledger.strays)
    report("back", back)
    // The same if the preference is an actor's queue itself.
    await withTaskExecutorPreference(queue) {
      ledgerIsSeen(ledger)
      await ledger.step()
      await Bystander().runs { DispatchQueue.current === queue } ? report("both", true) : ()
    }
    report("stepsInTheEnd", await ledger.steps)
  },

  "preferences-nest": {
    let outer = DispatchQueue(label: "outer")
    let inner = DispatchQueue(label: "inner")
    await withTaskExecutorPreference(outer) {
      report("outer", DispatchQueue.currentLabel ?? "")
      await withTaskExecutorPreference(inner) {
        report("inner", DispatchQueue.currentLabel ?? "")
        await withTaskExecutorPreference(nil) { report("none", DispatchQueue.currentLabel ?? "") }
      }
      report("back", DispatchQueue.currentLabel ?? "")
    }
  },

  "a-queue-is-shared-by-items-and-tasks": {
    // Tasks that prefer a serial queue run one at a time, together with its items.
    let queue = DispatchQueue(label: "preferred")
    let inside = Tally()
    let overlaps = Tally()
    let ran = Tally()
    @Sendable func step() {
      if inside.increment() != 1 { overlaps.increment() }
      ran.increment()
      inside.decrement()
    }
    let items = DispatchGroup()
    await withDiscardingTaskGroup { group in
      for _ in 0..<2000 {
        group.addTask(executorPreference: queue) { step() }
        queue.async(group: items) { step() }
      }
    }
    await items.allEnded()
    report("ran", ran.count)
    report("overlaps", overlaps.count)
  },
]

/// An actor whose jobs are items of a queue.
private actor Ledger {
  private let queue: DispatchSerialQueue
  private(set) var steps = 0
  private(set) var overlaps = 0
  private(set) var strays = 0
  private let inside = Tally()

  init(_ queue: DispatchSerialQueue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func step() {
    dispatchPrecondition(condition: .onQueue(queue))
    preconditionIsolated()
    if inside.increment() != 1 { overlaps += 1 }
    steps += 1
    if !onQueue() { strays += 1 }
    inside.decrement()
  }

  nonisolated func stepAssumed() { assumeIsolated { $0.step() } }

  func stepBoth(_ other: Ledger) {
    step()
    other.stepAssumed()
  }

  func place() -> Bool {
    MainActor.preconditionIsolated()
    return isOnFirstThread()
  }

  func note(_ entry: String, _ log: Log) { log.add(entry) }

  func stay() async {
    for step in 0..<50 {
      self.step()
      switch step % 4 {
      case 0: try? await Task.sleep(for: .milliseconds(1))
      case 1: await Task.yield()
      case 2: await Task.detached {}.value
      default: await MainActor.run {}
      }
      self.step()
    }
  }

  private func onQueue() -> Bool { DispatchQueue.currentLabel == queue.label }
}

/// An actor that does not retain its queue.
private actor Guest {
  nonisolated let unownedExecutor: UnownedSerialExecutor

  init(_ queue: DispatchSerialQueue) { unownedExecutor = queue.asUnownedSerialExecutor() }

  func step(_ ran: Tally) { ran.increment() }
}

/// An actor whose deallocation is counted.
private actor Holder {
  private let queue: DispatchSerialQueue
  private let tracked: Tracked

  init(_ queue: DispatchSerialQueue, _ alive: Tally) {
    self.queue = queue
    tracked = Tracked(alive)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func use() {}
}

private actor Bystander {
  func runs(_ body: @Sendable () -> Bool) -> Bool { body() }
}

private func ledgerIsSeen(_ ledger: Ledger) { ledger.preconditionIsolated() }

private func assume(_ ledger: Ledger) { ledger.stepAssumed() }

private func syncOnto(_ queue: DispatchQueue, _ work: () -> Void) { queue.sync(execute: work) }

extension DispatchGroup {
  fileprivate func allEnded() async {
    await withCheckedContinuation { done in notify(queue: .global()) { done.resume() } }
  }
}

/// An actor with a method that calls another method.
private actor SelfCaller {
  private let queue: DispatchSerialQueue
  private let log: Log

  init(_ queue: DispatchSerialQueue, _ log: Log) {
    self.queue = queue
    self.log = log
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func begin() async {
    queue.async { [log] in log.add("item") }
    log.add("begin")
    await inner()
    log.add("end")
  }

  private func inner() async { log.add("inner") }
}
