// Inbox — the model of `SignalboxRuntime/Pool/Pool+Inbox.swift`. A thread that finds the lock
// held leaves its item in the inbox, and the thread that releases the lock sees it.
//
// The list is one word here, with one bit for each item. `ItemListTests` shows that appending
// and removing lose nothing.

import Testing

enum InboxSite: Site {
  case exchangeTail, look
  case tryLock, unlock

  var access: Access { self == .look ? .load : .update }
  var ordering: Ordering { .sequentiallyConsistent }

  var operations: [String] {
    switch self {
    case .exchangeTail: ["Pool/ItemList.append:IL1+QL1+IB1"]
    case .look: ["Pool/ItemList.mayHold:IB1"]
    case .tryLock: ["Parking/EngineLock.tryLock:EL1+IB1"]
    case .unlock: ["Parking/EngineLock.unlockBeforeLook:EL1+IB1"]
    }
  }
}

struct InboxModel: Sendable {
  /// Ways to get the inbox wrong.
  enum Mistake {
    /// The lock's holder releases the lock without a look at the inbox.
    case noLook
  }

  let inbox: Atomic
  let word: Atomic
  /// Under the lock: the items in the run queues.
  let lines: Plain
  let orderings: Orderings<InboxSite>
  var mistake: Mistake?

  func submit(_ item: Int, _ t: ModelThread) throws {
    try t.fetchOr(inbox, 1 << item, orderings[.exchangeTail])
    try empty(t)
  }

  /// Call with the lock held; releases it.
  func unlock(_ t: ModelThread) throws {
    try t.exchange(word, 0, orderings[.unlock])
    if mistake != .noLook { try empty(t) }
  }

  private func empty(_ t: ModelThread) throws {
    while try t.load(inbox, orderings[.look]) != 0, try tryLock(t) {
      let items = try t.exchange(inbox, 0, .acquireRelease)
      try t.write(try t.read(lines) | items, to: lines)
      try t.exchange(word, 0, orderings[.unlock])
    }
  }

  private func tryLock(_ t: ModelThread) throws -> Bool {
    try t.compareExchange(
      word, expected: 0, desired: 1, orderings[.tryLock], failure: orderings[.tryLock].ofLoad
    ).exchanged
  }
}

@Suite struct InboxTests {
  /// One thread holds the lock while others submit.
  private func scenario(
    submitters: Int, mistake: InboxModel.Mistake? = nil
  ) -> Scenario<InboxSite> {
    Scenario("\(submitters) submitters while the lock is held") { p, orderings in
      let inbox = InboxModel(
        inbox: p.atomic("inbox"), word: p.atomic("word", 1), lines: p.plain("lines"),
        orderings: orderings, mistake: mistake)
      p.thread("holder") { t in
        _ = try t.read(inbox.lines)
        try inbox.unlock(t)
      }
      for submitter in 0..<submitters {
        p.thread("submitter \(submitter)") { t in try inbox.submit(submitter, t) }
      }
      p.atEnd { end in
        end[inbox.lines] == (1 << submitters) - 1 && end[inbox.word] == 0
          ? nil : "in the lines are \(end[inbox.lines]), the word is \(end[inbox.word])"
      }
    }
  }

  @Test func nothingIsLeftInTheInbox() {
    expectHolds([scenario(submitters: 1), scenario(submitters: 2)])
  }

  /// In the single total order, the submitter's look before it tries the lock belongs to its
  /// exchange, whose value it sees.
  @Test func everyOrderingOfTheInboxIsNeeded() {
    expectEachWeakeningFails(
      [scenario(submitters: 1), scenario(submitters: 2)], except: ["exchangeTail acq_rel"])
  }

  @Test func unlockingWithoutACheckLeavesAnItemBehind() {
    let verdict = scenario(submitters: 1, mistake: .noLook).program(.asBuilt).explored()
    #expect(!verdict.holds, "\(verdict)")
  }
}
