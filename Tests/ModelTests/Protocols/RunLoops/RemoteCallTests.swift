// RemoteCall — the model of `SignalboxDispatch/Queue/Main/RemoteCall.swift`: a call on the
// caller's stack, which the caller leaves as soon as the call is done.

import Testing

enum RemoteCallSite: Site {
  case done, loadDone

  var access: Access { self == .done ? .store : .load }
  var ordering: Ordering { self == .done ? .release : .acquire }
  var operations: [String] {
    [self == .done ? "Main/RemoteCall.init:RC1" : "Main/RemoteCall.perform:RC1"]
  }
}

@Suite struct RemoteCallTests {
  private var scenario: Scenario<RemoteCallSite> {
    Scenario("a call from another thread") { p, orderings in
      let word = p.atomic("word", isMortal: true)
      let result = p.plain("result")
      p.thread("runner") { t in
        try t.write(42, to: result)
        try t.store(1, to: word, orderings[.done])
        // The wake uses only the address, because the word may be gone.
        try t.futexWake(word)
      }
      p.thread("caller") { t in
        while try t.load(word, orderings[.loadDone]) == 0 {
          try t.futexWait(word, expected: 0)
        }
        try t.require(try t.read(result) == 42, "the result is not there")
        try t.free(word)
      }
    }
  }

  @Test func theCallerSeesTheResultAndMayLeaveAtOnce() {
    expectHolds([scenario])
  }

  @Test func everyOrderingOfTheRemoteCallIsNeeded() {
    expectEachWeakeningFails([scenario])
  }
}
