// Permit — the right to be under way, of one job that says itself when it is over.
//
// States      working → returned → done        (over later, on any thread)
//             working → done [→ working …]     (over before its work has returned;
//                                              it may then serve another job)
//
// Touching    `state`: any thread, atomically.
// Ordering    PT1  done's exchange (releasing) → the drainer's compare-and-swap
//                  (acquiring): the next job sees what was done before `done()`.
//             PT2  the drainer's compare-and-swap (releasing) → done's exchange
//                  (acquiring): the next job sees what the work did before it
//                  returned.
// Invariants  I1  of the two that end a job, its return and its done block, the
//                 second one passes the permit on. A second `done()` finds `done`.
//             I2  the drainer has a reference until the work has returned; from
//                 then on only copies of the done block do. With the last of them
//                 goes the last chance to call it: it is lost if it says `returned`.

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

  /// The client says that the job is over.
  func done() {
    // order: acquiring and releasing, PT1 and PT2
    let old = state.exchange(State.done, ordering: .acquiringAndReleasing)
    if old == State.returned { jobs.passOnPermit() }
  }

  /// - Returns: whether the job is over, and the drainer keeps the permit.
  func workHasReturned() -> Bool {
    let (isPending, _) = state.compareExchange(
      expected: State.working, desired: State.returned,
      ordering: .acquiringAndReleasing)  // order: acquiring and releasing, PT1 and PT2
    return !isPending
  }

  /// Makes it ready for the next job. The caller has the only reference.
  func reset() {
    // order: relaxed; nobody else can look.
    state.store(State.working, ordering: .relaxed)
  }

  deinit {
    // order: relaxed; the last reference is gone, and its release ordered all.
    if state.load(ordering: .relaxed) == State.returned { jobs.losePermit() }
  }
}
