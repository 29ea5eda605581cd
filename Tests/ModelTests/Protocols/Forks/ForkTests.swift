// Fork — the model of the table in `CSignalbox/fork.c`, and of a queue's check in a
// forked child, `SignalboxDispatch/Queue/Core/DispatchQueue+Fork.swift`.

import Testing

enum ForkSite: Site {
  /// A participant joins; a forking thread looks whether it has.
  case set, call
  /// A thread has checked the queue; another looks whether the check is done.
  case checkIn, lookForCheck

  var access: Access {
    switch self {
    case .set, .checkIn: .store
    case .call, .lookForCheck: .load
    }
  }

  var ordering: Ordering { access == .store ? .release : .acquire }

  var operations: [String] {
    switch self {
    case .set: ["CSignalbox/fork.csb_fork_join:FK2"]
    case .call: ["CSignalbox/fork.before_fork:FK2"]
    case .checkIn: ["Core/DispatchQueue+Fork.checkFork:FK1.2"]
    case .lookForCheck: ["Core/DispatchQueue+Fork.checkFork:FK1"]
    }
  }
}

@Suite struct ForkTests {
  /// The library initializes while another thread forks.
  private var handlers: Scenario<ForkSite> {
    Scenario("handlers are set during a fork") { p, orderings in
      let prepare = p.atomic("prepare")
      let child = p.atomic("child")
      p.thread("user") { t in
        try t.store(1, to: child, .relaxed)
        try t.store(1, to: prepare, orderings[.set])
      }
      p.thread("forker") { t in
        guard try t.load(prepare, orderings[.call]) == 1 else { return }
        let isSet = try t.load(child, .relaxed) == 1
        try t.require(isSet, "prepared, and there is no handler in the child")
      }
    }
  }

  /// Two threads use a queue that the child has from its parent.
  private var check: Scenario<ForkSite> {
    Scenario("a queue is checked and used") { p, orderings in
      let checkedIn = p.atomic("checked in")
      let word = p.atomic("word")
      p.thread("first") { t in
        try t.store(1, to: checkedIn, orderings[.checkIn])
        try t.fetchAdd(word, 1, .acquireRelease)
      }
      p.thread("second") { t in
        guard try t.load(word, .acquire) == 1 else { return }
        let isChecked = try t.load(checkedIn, orderings[.lookForCheck]) == 1
        try t.require(isChecked, "this process's work is taken for its parent's")
      }
    }
  }

  @Test func aChildKnowsWhatItsOwnProcessHasDone() {
    expectHolds([handlers, check])
  }

  /// A thread that sees this process's work in the queue's word has acquired it, and the
  /// earlier check with it.
  @Test func everyOrderingOfAForkIsNeeded() {
    expectEachWeakeningFails(
      [handlers, check], except: ["checkIn relaxed", "lookForCheck relaxed"])
  }
}
