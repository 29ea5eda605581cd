// Threads — the models of `SignalboxRuntime/Threads/` and of the signals that waiting threads
// receive: a thread's end, the last of several ends, an answer, and the start of a thread on
// behalf of another.

import Testing

enum ThreadSite: Site {
  /// A thread's end, and the thread that joins it or detaches it late.
  case end, seeEnd
  /// The end of a thread's body, and the thread that asks for it.
  case finish, seeFinished
  /// The threads that must finish, and the thread that waits for the last one.
  case leave, seeLast
  /// The answer whether the process may end, and the thread that asked.
  case answer, seeAnswer
  /// The starter, and the thread that asked it to start a thread.
  case started, seeStarted

  var access: Access {
    switch self {
    case .end, .finish, .leave, .answer: .update
    case .started: .store
    case .seeEnd, .seeFinished, .seeLast, .seeAnswer, .seeStarted: .load
    }
  }

  var ordering: Ordering { access == .load ? .acquire : .release }

  var operations: [String] {
    switch self {
    case .end: ["Threads/ThreadEnding.end:TE1"]
    case .seeEnd: ["Threads/ThreadEnding.isEnded:TE1"]
    case .finish: ["Threads/ThreadLife.finish:TL1"]
    case .seeFinished: ["Threads/ThreadLife.phase:TL1"]
    case .leave: ["Threads/ThreadRegistry.countOut:TG1"]
    case .seeLast: ["Threads/ThreadRegistry.waitForPending:TG1"]
    case .answer: ["SignalboxThreads/TerminationState.go:TT1"]
    case .seeAnswer: ["SignalboxThreads/TerminationState.now:TT1"]
    case .started: ["Pool/Starter.answer:ST2"]
    case .seeStarted: ["Pool/Starter.ask:ST2"]
    }
  }
}

/// `ThreadEnding`.
private struct EndingModel: Sendable {
  /// Ways to get it wrong.
  enum Mistake {
    /// A late detach looks whether the thread has ended, and then marks it as detached.
    case detachesInTwoSteps
    /// A join announces its sleep with a store.
    case announcesByStore
  }

  enum Bits { static let awaited = 1, ended = 2, detached = 4 }

  let word: Atomic
  let orderings: Orderings<ThreadSite>
  var mistake: Mistake?

  /// The thread's last step. Returns whether the thread must free itself.
  func end(_ t: ModelThread) throws -> Bool {
    let old = try t.fetchOr(word, Bits.ended, orderings[.end])
    if old & Bits.awaited != 0 { try t.futexWake(word, all: true) }
    return old & Bits.detached != 0
  }

  func join(_ t: ModelThread) throws {
    while try t.load(word, orderings[.seeEnd]) & Bits.ended == 0 {
      let old: Int
      if mistake == .announcesByStore {
        old = try t.load(word, .relaxed)
        try t.store(old | Bits.awaited, to: word, .relaxed)
      } else {
        old = try t.fetchOr(word, Bits.awaited, .relaxed)
      }
      if old & Bits.ended != 0 { continue }
      _ = try t.futexWait(word, expected: old | Bits.awaited)
    }
  }

  /// Returns whether the caller must free the thread.
  func detach(_ t: ModelThread) throws -> Bool {
    if mistake == .detachesInTwoSteps {
      let hasEnded = try t.load(word, .acquire) & Bits.ended != 0
      try t.fetchOr(word, Bits.detached, .relaxed)
      return hasEnded
    }
    let old = try t.fetchOr(word, Bits.detached, .relaxed)
    guard old & Bits.ended != 0 else { return false }
    return try t.load(word, orderings[.seeEnd]) & Bits.ended != 0
  }
}

@Suite struct ThreadTests {
  private func join(_ mistake: EndingModel.Mistake? = nil) -> Scenario<ThreadSite> {
    Scenario("join") { p, orderings in
      let ending = EndingModel(word: p.atomic("word"), orderings: orderings, mistake: mistake)
      let output = p.plain("output")
      p.thread("thread") { t in
        try t.write(1, to: output)
        _ = try ending.end(t)
      }
      p.thread("joins") { t in
        try ending.join(t)
        try t.require(try t.read(output) == 1, "what the thread wrote is not seen")
      }
    }
  }

  private func detach(_ mistake: EndingModel.Mistake? = nil) -> Scenario<ThreadSite> {
    Scenario("detach") { p, orderings in
      let ending = EndingModel(word: p.atomic("word"), orderings: orderings, mistake: mistake)
      let output = p.plain("output"), handle = p.plain("handle")
      let given = p.plains("given back", count: 2)
      p.thread("thread") { t in
        try t.write(1, to: handle)
        try t.write(1, to: output)
        if try ending.end(t) { try t.write(1, to: given[0]) }
      }
      p.thread("detaches") { t in
        guard try ending.detach(t) else { return }
        try t.require(try t.read(handle) == 1, "the handle is not seen")
        try t.write(1, to: given[1])
      }
      p.atEnd { end in
        let times = end[given[0]] + end[given[1]]
        return times == 1 ? nil : "it was given back \(times) times"
      }
    }
  }

  /// One thread writes, changes the word, and wakes; the other waits for that and reads.
  private func told(
    _ name: String, _ write: ThreadSite, _ read: ThreadSite
  ) -> Scenario<ThreadSite> {
    Scenario(name) { p, orderings in
      let word = p.atomic("word"), output = p.plain("output")
      p.thread("tells") { t in
        try t.write(1, to: output)
        if write.access == .store {
          try t.store(1, to: word, orderings[write])
        } else {
          try t.fetchOr(word, 1, orderings[write])
        }
        try t.futexWake(word, all: true)
      }
      p.thread("waits") { t in
        while try t.load(word, orderings[read]) == 0 { _ = try t.futexWait(word, expected: 0) }
        try t.require(try t.read(output) == 1, "what was written is not seen")
      }
    }
  }

  private var last: Scenario<ThreadSite> {
    Scenario("the last of two") { p, orderings in
      let pending = p.atomic("pending", 2)
      let outputs = p.plains("outputs", count: 2)
      for thread in 0..<2 {
        p.thread("\(thread)") { t in
          try t.write(1, to: outputs[thread])
          try t.fetchAdd(pending, -1, orderings[.leave])
          try t.futexWake(pending, all: true)
        }
      }
      p.thread("waits") { t in
        while true {
          let left = try t.load(pending, orderings[.seeLast])
          if left == 0 { break }
          _ = try t.futexWait(pending, expected: left)
        }
        for output in outputs {
          try t.require(try t.read(output) == 1, "what a thread wrote is not seen")
        }
      }
    }
  }

  private var scenarios: [Scenario<ThreadSite>] {
    [
      join(), detach(), last, told("finished", .finish, .seeFinished),
      told("answer", .answer, .seeAnswer), told("started", .started, .seeStarted),
    ]
  }

  @Test func aThreadThatSeesTheEndSeesItsEffects() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfThreadsIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }

  @Test func aDetachInTwoStepsFreesTheThreadNeverOrTwice() {
    #expect(!detach(.detachesInTwoSteps).program(.asBuilt).explored().holds)
  }

  @Test func announcingAJoinByAStoreMissesTheEnd() {
    #expect(!join(.announcesByStore).program(.asBuilt).explored().holds)
  }
}
