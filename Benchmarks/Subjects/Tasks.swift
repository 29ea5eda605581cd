import CBenchmark
import Synchronization

extension Subject {
  static let taskSpawn = taskSpawn("task-spawn", outstanding: 1)
  static let taskSpawnMany = taskSpawn("task-spawn-many", outstanding: 10_000)

  /// So many tasks are always there: the oldest is awaited, and a new one takes its place.
  private static func taskSpawn(_ name: String, outstanding: Int) -> Subject {
    let count = outstanding == 1 ? "1" : "10,000"
    return Subject(
      name: name, title: "`Task { }` spawn + await, \(count) outstanding",
      goal: .ratio(0.70, required: true),
      // Far more than are there in the beginning and in the end.
      leastOperations: max(16, 20 * outstanding),
      countedOperations: max(2_000, 2 * outstanding),
      measurement: .cost {
        adoptExecutors()
        return { operations in
          inTask {
            var tasks = (0..<outstanding).map { _ in Task {} }
            for number in 0..<operations {
              let place = number % outstanding
              await tasks[place].value
              tasks[place] = Task {}
            }
            for task in tasks { await task.value }
          }
        }
      })
  }

  static let taskGroup = Subject(
    name: "task-group", title: "`TaskGroup` of 10,000 empty children, per child",
    goal: .ratio(0.80, required: false),
    leastOperations: 10_000,
    countedOperations: 10_000,
    measurement: .cost {
      adoptExecutors()
      cbench_keep_heap()
      return { operations in
        inTask {
          await inBatches(operations) { batch in
            await withTaskGroup(of: Void.self) { group in
              for _ in 0..<batch { group.addTask {} }
            }
          }
        }
      }
    })

  /// Each call computes for some fifty nanoseconds. The executor is hardly ever asked: whoever
  /// finds the actor idle enters it at once, on its own thread.
  static let actorCalls = actorSubject(
    "actor-calls", "one actor called by 8 tasks at once, per call"
  ) { await $0.call() }

  /// The same, but each call waits within the actor and comes back to it.
  static let actorReturns = actorSubject(
    "actor-returns", "the same, each call of which gives way within the actor once"
  ) { await $0.callAndYield() }

  private static func actorSubject(
    _ name: String, _ title: String, _ call: @escaping @Sendable (BusyActor) async -> Void
  ) -> Subject {
    Subject(
      name: name, title: title, goal: .ratio(0.80, required: false),
      leastOperations: 8_000,
      measurement: .cost {
        adoptExecutors()
        let actor = BusyActor()
        return { operations in
          inTask {
            await withTaskGroup(of: Void.self) { group in
              for _ in 0..<8 {
                group.addTask { for _ in 0..<operations / 8 { await call(actor) } }
              }
            }
          }
        }
      })
  }

  /// The main thread waits in its loop; a task has it run something and waits for that.
  static let mainActorHop = Subject(
    name: "main-actor-hop", title: "`MainActor` hop from a task and back",
    goal: .ratio(0.60, required: false),
    countedOperations: 1_000,
    measurement: .cost {
      adoptExecutors()
      return { operations in
        Task.detached {
          for _ in 0..<operations { await hopToMain() }
          LoopCalls.main.perform { LoopCalls.main.stop() }
        }
        LoopCalls.run()
      }
    })

  /// A ring: each task waits in a continuation until the one before it resumes it.
  static let continuations = Subject(
    name: "continuations", title: "1,000 tasks that resume each other through continuations",
    goal: .ratio(0.80, required: false),
    leastOperations: 10_000,
    countedOperations: 10_000,
    measurement: .cost {
      adoptExecutors()
      return { operations in
        inTask { await ContinuationRing(tasks: 1_000).run(steps: operations) }
      }
    })
}

/// Runs `work` in a task, and waits for its end on a thread that is no executor's.
func inTask(_ work: @escaping @Sendable () async -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    await work()
    isDone.signal()
  }
  isDone.wait()
}

private func inBatches(_ operations: Int, _ body: (_ batch: Int) async -> Void) async {
  var left = operations
  while left > 0 {
    await body(min(left, 10_000))
    left -= 10_000
  }
}

@MainActor private func hopToMain() {}

private actor BusyActor {
  func call() { cbench_compute(50) }

  func callAndYield() async {
    cbench_compute(50)
    await Task.yield()
  }
}

/// Places in a ring, each of which one task waits at.
private final class ContinuationRing: Sendable {
  private let places: [Place]

  init(tasks: Int) { places = (0..<tasks).map { _ in Place() } }

  /// Goes through the ring until so many continuations were resumed.
  func run(steps: Int) async {
    let rounds = max(1, steps / places.count)
    await withTaskGroup(of: Void.self) { group in
      for number in places.indices {
        group.addTask { await self.wait(at: number, rounds: rounds) }
      }
      places[0].pass()
    }
  }

  private func wait(at number: Int, rounds: Int) async {
    let next = number + 1 == places.count ? 0 : number + 1
    for round in 1...rounds {
      await places[number].comeBy()
      if next != 0 || round < rounds { places[next].pass() }
    }
  }

  /// Where one task waits until it is passed; a pass before that is kept.
  private final class Place: Sendable {
    private let state = Mutex<State>(.empty)

    private enum State {
      case empty, passed
      case waiting(UnsafeContinuation<Void, Never>)
    }

    func comeBy() async {
      await withUnsafeContinuation { continuation in
        let isPassed = state.withLock { state in
          if case .passed = state {
            state = .empty
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isPassed { continuation.resume() }
      }
    }

    func pass() {
      let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
        if case .waiting(let continuation) = state {
          state = .empty
          return continuation
        }
        state = .passed
        return nil
      }
      waiting?.resume()
    }
  }
}
