import CBenchmark

extension Subject {
  /// Two threads, each asleep in its loop but when it answers the other.
  static let loopSourceRoundTrip = Subject(
    name: "loop-source-round-trip",
    title: "`CFRunLoopSourceSignal` and `CFRunLoopWakeUp`, there and back",
    goal: .ratio(0.75, required: false),
    pinned: true,
    countedOperations: 1_000,
    measurement: .cost {
      { operations in
        // Threads of their own: the main thread's loop serves the main queue as well.
        let asking = JoinableThread {
          let answers = Answers()
          let own = LoopSource { answers.count += 1 }
          let other = Echo(to: own)
          while answers.count < operations {
            let before = answers.count
            other.source.signalAndWakeUp()
            while answers.count == before { LoopSource.runOnce() }
          }
          other.end()
          own.invalidate()
        }
        asking.start()
        asking.join()
      }
    })

  static let loopIdlePass = Subject(
    name: "loop-idle-pass",
    title: "an idle pass: `run(mode:before:)` a date that has passed, with one source",
    goal: .ratio(0.30, required: false),
    leastOperations: 1_000,
    measurement: .cost {
      { operations in
        let passing = JoinableThread {
          let source = LoopSource {}
          let loop = RunLoop.current
          let now = Date()
          var passes = 0
          for _ in 0..<operations where loop.run(mode: .default, before: now) { passes += 1 }
          precondition(passes == operations)
          source.invalidate()
        }
        passing.start()
        passing.join()
      }
    })
}

/// Counted by the thread whose loop performs the source.
// SAFETY: one thread's.
private final class Answers: @unchecked Sendable {
  var count = 0
}

/// A thread that answers each signal of its source by one of another's.
private final class Echo {
  let source: LoopSource
  private let join: () -> Void
  private let shared: Shared

  /// Written before a semaphore or a signal of the source, read after it.
  // SAFETY: as said.
  private final class Shared: @unchecked Sendable {
    var isOver = false
    var source: LoopSource?
  }

  init(to other: LoopSource) {
    let shared = Shared()
    let isThere = DispatchSemaphore(value: 0)
    let thread = JoinableThread {
      let source = LoopSource { if !shared.isOver { other.signalAndWakeUp() } }
      shared.source = source
      isThere.signal()
      while !shared.isOver { LoopSource.runOnce() }
      source.invalidate()
    }
    thread.start()
    isThere.wait()
    join = { thread.join() }
    source = shared.source!
    self.shared = shared
  }

  func end() {
    shared.isOver = true
    source.signalAndWakeUp()
    join()
    shared.source = nil
  }
}
