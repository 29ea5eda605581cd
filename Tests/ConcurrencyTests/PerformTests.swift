// PerformTests — `DispatchQueue.perform`: the value of a closure that a queue runs.

import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct PerformTests {
  private struct Refusal: Error, Equatable { let reason: Int }

  @Test func theValueOfTheClosureIsReturned() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "performing")
    queue.setSpecific(key: key, value: "here")
    let found = try await queue.perform {
      dispatchPrecondition(condition: .onQueue(queue))
      return DispatchQueue.getSpecific(key: key)
    }
    #expect(found == "here")
  }

  @Test func theErrorOfTheClosureIsThrown() async {
    let queue = DispatchQueue(label: "refusing")
    await #expect(throws: Refusal(reason: 7)) {
      try await queue.perform { throw Refusal(reason: 7) }
    }
  }

  @Test func itemsRunInTheOrderOfTheQueue() async throws {
    let queue = DispatchQueue(label: "in order")
    let order = EventLog<Int>()
    for round in 0..<50 {
      queue.async { order.append(2 * round) }
      try await queue.perform { order.append(2 * round + 1) }
    }
    #expect(order.all == Array(0..<100))
  }

  @Test func aBarrierRunsAlone() async throws {
    let queue = DispatchQueue(label: "alone", attributes: .concurrent)
    let inside = Occupancy()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        let isBarrier = number % 5 == 0
        group.addTask {
          try await queue.perform(flags: isBarrier ? .barrier : []) {
            let count = inside.enter()
            idle(50)
            defer { inside.leave() }
            return isBarrier ? max(count, inside.inside) : 1
          }
        }
      }
      for try await count in group { #expect(count == 1) }
    }
    #expect(inside.entered == 200)
  }

  @Test func capturesAreFreedBeforeTheTaskContinues() async throws {
    let queue = DispatchQueue(label: "freeing")
    let tracker = LeakTracker()
    for _ in 0..<200 {
      try await queue.perform { [object = tracker.makeObject()] in object.touch() }
      #expect(tracker.alive == 0)
    }
    #expect(tracker.made == 200)
  }

  @Test func aCancelledItemOfASuspendedQueueIsFreedAtOnce() async {
    let queue = DispatchQueue(label: "suspended")
    let ran = EventCounter("runs")
    let freed = EventCounter("closures freed when the task goes on")
    queue.suspend()
    let tasks = (0..<100).map { _ in
      ending {
        let tracker = LeakTracker()
        defer { if tracker.made == 1 && tracker.alive == 0 { freed.increment() } }
        try await queue.perform { [object = tracker.makeObject()] in
          object.touch()
          ran.increment()
        }
      }
    }
    for (number, task) in tasks.enumerated() {
      if number == tasks.count / 2 { try? await Task.sleep(for: RealTime.settling) }
      task.cancel()
    }
    for task in tasks { #expect(await task.value == .cancelled) }
    #expect(freed.value == tasks.count)
    queue.resume()
    queue.sync {}
    #expect(ran.value == 0)
  }

  /// The queue is busy, and the task is certainly waiting: the previous item says so.
  @Test func aCancelledItemBehindARunningOneIsFreedAtOnce() async throws {
    let queue = DispatchQueue(label: "busy")
    let (begun, gate) = (AsyncGate(), Gate("the item before"))
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    queue.async {
      begun.open()
      gate.pass()
    }
    try await begun.passed()
    let task = ending { [object = tracker.makeObject()] in
      try await queue.perform {
        object.touch()
        ran.increment()
      }
    }
    try await Task.sleep(for: RealTime.settling)
    task.cancel()
    #expect(await task.value == .cancelled)
    await until { tracker.alive == 0 }
    gate.open()
    queue.sync {}
    #expect(ran.value == 0)
  }

  @Test func anItemThatHasBegunIsWaitedFor() async throws {
    let queue = DispatchQueue(label: "begun")
    let (begun, gate) = (AsyncGate(), Gate("the item"))
    let task = Task {
      try await queue.perform {
        begun.open()
        gate.pass()
        return Task.isCancelled ? 0 : 42
      }
    }
    try await begun.passed()
    task.cancel()
    try await Task.sleep(for: RealTime.settling)
    gate.open()
    #expect(try await task.value == 42)
  }

  @Test func aCancelledTaskSubmitsNothing() async {
    let queue = DispatchQueue(label: "not asked")
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    let task = ending { [object = tracker.makeObject()] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await queue.perform {
        object.touch()
        ran.increment()
      }
    }
    #expect(await task.value == .cancelled)
    queue.sync {}
    #expect(ran.value == 0)
    await until { tracker.alive == 0 }
  }

  /// Each item either runs and returns its value, or never runs and the task learns that.
  @Test func theStartAndTheCancellationMayRace() async {
    var random = SeededGenerator.announced()
    for isSerial in [true, false] {
      let queue = DispatchQueue(label: "racing", attributes: isSerial ? [] : .concurrent)
      let tracker = LeakTracker()
      for round in 0..<200 {
        let ran = Guarded<Set<Int>>([])
        let tasks = (0..<Int.random(in: 1...5, using: &random)).map { number in
          ending { [object = tracker.makeObject()] in
            let value = try await queue.perform {
              object.touch()
              ran.withValue { _ = $0.insert(number) }
              return number
            }
            #expect(value == number)
          }
        }
        let delay = Int.random(in: 0...600, using: &random)
        for task in tasks where Bool.random(using: &random) {
          idle(delay)
          task.cancel()
        }
        for (number, task) in tasks.enumerated() {
          let ending = await task.value
          #expect(ran.current.contains(number) == (ending == .came), "round \(round)")
        }
        queue.sync(flags: .barrier) {}
      }
      await until { tracker.alive == 0 }
    }
  }
}
