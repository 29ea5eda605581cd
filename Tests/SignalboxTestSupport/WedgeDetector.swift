// WedgeDetector — ends a test run that hangs, and reports where it hangs.
//
// A test cannot fail from a thread that is stuck in a call into the library. A separate thread
// watches the tests that carry the `.guarded` trait and the passes of stress tests. When one of
// them outlives `RealTime.life`, the thread prints the stuck test and the state of every
// thread, and ends the process.
//
// A test's life restarts whenever any guarded test or a test's child program ends. An exit test
// waits for its child in a task, and that task queues behind every test that began earlier. Most
// of those tests block the thread that would run the task, so the exit test is not stuck while
// they make progress. A child program has a life of its own, so a test that starts several is not
// stuck while they end.

import Glibc
package import Testing

package enum WedgeDetector {
  private struct Watch: Sendable {
    var next = 0
    var running: [Int: (name: String, kind: Kind, deadline: Uptime)] = [:]
    var isWatched = false
  }
  private static let watch = Guarded(Watch())

  package static var runningTests: [String] {
    watch.current.running.sorted { $0.key < $1.key }.map(\.value.name)
  }

  /// When this test or pass, if it still runs, counts as stuck.
  package static func deadline(_ ticket: Int) -> Uptime? {
    watch.current.running[ticket]?.deadline
  }

  /// Whether a test may queue behind others, or is a stress pass, whose life starts when it
  /// begins.
  package enum Kind: Sendable { case test, pass }

  package static func begin(_ name: String, _ kind: Kind) -> Int {
    let (ticket, mustStart) = watch.withValue { watch in
      watch.next += 1
      watch.running[watch.next] = (name, kind, Uptime.now() + RealTime.life)
      defer { watch.isWatched = true }
      return (watch.next, !watch.isWatched)
    }
    if mustStart { startWatching() }
    return ticket
  }

  package static func end(_ ticket: Int) {
    watch.withValue { watch in
      guard watch.running.removeValue(forKey: ticket)?.kind == .test else { return }
      restartLives(&watch)
    }
  }

  /// A test's child program has ended.
  static func childHasEnded() { watch.withValue { restartLives(&$0) } }

  private static func restartLives(_ watch: inout Watch) {
    let deadline = Uptime.now() + RealTime.life
    for (other, test) in watch.running where test.kind == .test {
      watch.running[other]!.deadline = deadline
    }
  }

  private static func startWatching() {
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { _ in
        while true { WedgeDetector.look() }
      }, nil)
    guard result == 0 else {
      StandardError.print("no thread for the wedge detector: \(result)")
      abort()
    }
    // The thread watches until the process ends, so nothing can join it.
    pthread_detach(thread)
  }

  /// Sleeps until the earliest deadline or until the set of tests has changed.
  private static func look() {
    let now = Uptime.now()
    let seen = watch.current
    if let stuck = seen.running.values.first(where: { $0.deadline <= now }) {
      Wedge.fatal("the test \(stuck.name) outlived \(RealTime.life)")
    }
    let earliest = seen.running.values.map(\.deadline).min() ?? now + RealTime.life
    _ = watch.wait(limit: earliest.since(now)) {
      $0.running.keys.sorted() != seen.running.keys.sorted()
    }
  }
}

/// Puts a test under the wedge detector's watch, and adds the failing combination of
/// `withEvery` to the issues that the test reports.
package struct GuardedTrait: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let ticket = WedgeDetector.begin("\(test.sourceLocation.fileID) \(test.name)", .test)
    defer { WedgeDetector.end(ticket) }
    try await combination.provideScope(for: test, testCase: testCase) {
      try await function()
    }
  }

  private var combination: IssueHandlingTrait {
    .compactMapIssues { issue in
      var issue = issue
      if !Combination.text.isEmpty { issue.comments.append("with \(Combination.text)") }
      return issue
    }
  }
}

extension Trait where Self == GuardedTrait {
  package static var guarded: Self { Self() }
}
