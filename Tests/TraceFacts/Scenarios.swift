// Scenarios — all scenarios, and what they share.

import Glibc
import Synchronization

typealias Scenario = @Sendable ([String]) -> Void

let scenarios: [String: Scenario] =
  storyScenarios.merging(endScenarios) { $1 }.merging(memoryScenarios) { $1 }
  .merging(operationScenarios) { $1 }
  .merging(intervalScenarios) { $1 }
  .merging(taskScenarios) { $1 }
  .merging(adviceScenarios) { $1 }

/// Prints one fact for the test to read.
func report(_ name: String, _ value: some CustomStringConvertible) {
  print("\(name)=\(value)")
  fflush(nil)
}

/// Ends the program with a message on standard error.
func fail(_ message: String) -> Never {
  let text = message + "\n"
  _ = text.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, text.utf8.count) }
  exit(2)
}

/// Runs `body` on `count` threads at once, which all end before this returns.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { index in
    var thread = pthread_t()
    // SAFETY: the thread takes ownership of the reference.
    let work = Unmanaged.passRetained(Work { body(index) })
    let error = pthread_create(
      &thread, nil,
      { raw in
        // SAFETY: as above.
        Unmanaged<Work>.fromOpaque(raw!).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    if error != 0 { fail("pthread_create: \(error)") }
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class Work: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A meeting point for threads that must be alive at once.
final class Meeting: Sendable {
  private let missing: Atomic<Int>
  init(_ count: Int) { missing = Atomic(count) }

  func meet() {
    missing.subtract(1, ordering: .sequentiallyConsistent)
    while missing.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
  }
}

/// Random numbers that are the same for the same seed.
struct Numbers {
  private var state: UInt64
  init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

  mutating func next(below limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % limit
  }
}
