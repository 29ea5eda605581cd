// Permit — the right of one job to be under way, for a job that itself reports when it is
// over.
//
// States      working → returned → done        (over later, on any thread)
//             working → done [→ working …]     (over before its work has returned;
//                                              it may then serve another job)
//
// Touching    `state`: any thread, atomically.
// Ordering    PT1  done's exchange (releasing) → the drainer's compare-and-swap (acquiring):
//                  the next job sees everything done before `done()`.
//             PT2  the drainer's compare-and-swap (releasing) → done's exchange (acquiring):
//                  the next job sees everything that the work did before it returned.
// Invariants  I1  a job's return and its done block together end it, and the second of the two
//                 passes the permit on. A second `done()` finds `done`.
//             I2  the drainer holds a reference until the work has returned; from then on only
//                 copies of the done block do. When the last copy is freed in the state
//                 `returned`, the block can no longer be called, and the permit is lost.

import Synchronization

final class Permit: Sendable {
  private let jobs: LimitedJobs
  private let state = Atomic<UInt8>(State.working)

  private enum State {
    static let working: UInt8 = 0
    static let returned: UInt8 = 1
    static let done: UInt8 = 2
  }

  init(of jobs: LimitedJobs) { self.jobs = jobs }

  /// Called by the client when the job is over.
  func done() {
    // order: acquiring and releasing, PT1 and PT2
    let old = state.exchange(State.done, ordering: .acquiringAndReleasing)
    if old == State.returned { jobs.passOnPermit() }
  }

  /// - Returns: whether the job is over. If so, the drainer keeps the permit.
  func workHasReturned() -> Bool {
    let (isPending, _) = state.compareExchange(
      expected: State.working, desired: State.returned,
      ordering: .acquiringAndReleasing)  // order: acquiring and releasing, PT1 and PT2
    return !isPending
  }

  /// Resets the permit for the next job. The caller holds the only reference.
  func reset() {
    // order: relaxed; no other thread holds a reference.
    state.store(State.working, ordering: .relaxed)
  }

  deinit {
    // order: relaxed; the release of the last reference has ordered everything before.
    if state.load(ordering: .relaxed) == State.returned { jobs.losePermit() }
  }
}
