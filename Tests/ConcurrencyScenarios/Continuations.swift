// Continuations — a task that waits until other code resumes it.

import Glibc

package let continuationScenarios: [String: AsyncScenario] = [
  "continuations-resumed-from-everywhere": {
    struct Failure: Error {}
    report("inPlace", await withCheckedContinuation { $0.resume(returning: 1) })
    report("unsafe", await withUnsafeContinuation { $0.resume(returning: 2) })
    report(
      "fromATask",
      await withCheckedContinuation { continuation in
        Task.detached { continuation.resume(returning: 3) }
      })
    report(
      "fromAThread",
      await withCheckedContinuation { continuation in
        startThread { continuation.resume(returning: 4) }
      })
    do {
      let _: Int = try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(throwing: Failure()) }
      }
    } catch is Failure { report("thrown", true) }
    do {
      let _: Int = try await withUnsafeThrowingContinuation { $0.resume(throwing: Failure()) }
    } catch is Failure { report("unsafeThrown", true) }
    report(
      "result",
      try await withCheckedThrowingContinuation { $0.resume(with: Result<Int, Failure>.success(5)) }
    )
  },

  "a-ring-of-continuations": {
    // A token goes round a ring of tasks, each of which waits for its neighbour.
    let size = 1000
    let rounds = 20
    let gates = (0..<size).map { _ in AsyncStream<Int>.makeStream() }
    let total = await withTaskGroup(of: Int.self) { group in
      for index in 0..<size {
        group.addTask {
          var passed = 0
          for await token in gates[index].stream {
            passed += 1
            gates[(index + 1) % size].continuation.yield(token + 1)
            if passed == rounds { break }
          }
          return passed
        }
      }
      gates[0].continuation.yield(0)
      return await group.reduce(0, +)
    }
    report("passed", total)
  },

  "tasks-resumed-by-each-other": {
    // Two tasks take turns using only continuations.
    let table = Table()
    async let left: Int = table.play(0, rounds: 5000)
    async let right: Int = table.play(1, rounds: 5000)
    report("turns", await left + right)
  },

  "a-continuation-resumed-twice-traps": {
    await withCheckedContinuation { continuation in
      continuation.resume()
      continuation.resume()
    }
    report("reached", true)
  },
]

/// Two players; each waits for its turn.
private actor Table {
  private var turn = 0
  private var waiting: CheckedContinuation<Void, Never>?

  func play(_ player: Int, rounds: Int) async -> Int {
    for _ in 0..<rounds {
      if turn != player { await withCheckedContinuation { waiting = $0 } }
      turn = 1 - player
      waiting?.resume()
      waiting = nil
    }
    return rounds
  }
}

/// Starts a detached thread of the program's own.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  // SAFETY: retained here, released by the thread.
  let context = Unmanaged.passRetained(Body(body)).toOpaque()
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { context in
      // SAFETY: as above.
      Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  if error != 0 { fail("no thread: \(error)") }
  pthread_detach(thread)
}

private final class Body {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
