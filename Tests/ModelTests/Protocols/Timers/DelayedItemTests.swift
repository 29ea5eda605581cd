// DelayedItem — the model of `SignalboxDispatch/Items/DelayedItem.swift`. A delayed item
// has three references: the driver's, the work item's and the submitter's. The thread that
// drops the last one frees the item.

import Testing

enum DelayedItemSite: Site {
  /// A thread drops a reference.
  case release

  var access: Access { .update }
  var ordering: Ordering { .acquireRelease }
  var operations: [String] { ["Items/DelayedItem.release:DI1"] }
}

struct DelayedItemModel: Sendable {
  /// The work item's lock, which guards whether the delayed item is listed.
  let listLock: Atomic
  let listed: Plain
  /// The driver's lock, which guards whether the timer is armed.
  let driverLock: Atomic
  let armed: Plain
  let isCancelled: Atomic
  let references: Atomic
  /// 1 while there is something to submit; 2 after.
  let contents: Plain
  let orderings: Orderings<DelayedItemSite>

  init(_ p: inout Program, _ orderings: Orderings<DelayedItemSite>) {
    listLock = p.atomic("list's lock")
    listed = p.plain("listed")
    driverLock = p.atomic("driver's lock")
    armed = p.plain("armed")
    isCancelled = p.atomic("is cancelled")
    references = p.atomic("references", 3, isMortal: true)
    contents = p.plain("contents")
    self.orderings = orderings
  }

  func submit(_ t: ModelThread) throws {
    try t.write(1, to: contents)
    try t.withLock(listLock) { try t.write(1, to: listed) }
    try t.withLock(driverLock) { try t.write(1, to: armed) }
    if try t.load(isCancelled, .relaxed) == 1 { try disarm(t) }
    try release(t)
  }

  /// Fires the timer if it is armed.
  func fire(_ t: ModelThread) throws {
    guard try take(armed, driverLock, t) else { return }
    try takeContents(t)
    if try take(listed, listLock, t) { try release(t) }
    try release(t)
  }

  func cancel(_ t: ModelThread) throws {
    try t.fetchOr(isCancelled, 1, .relaxed)
    guard try take(listed, listLock, t) else { return }
    try disarm(t)
    try release(t)
  }

  private func disarm(_ t: ModelThread) throws {
    guard try take(armed, driverLock, t) else { return }
    try takeContents(t)
    try release(t)
  }

  /// Clears the flag under the lock. Returns whether it was set.
  private func take(_ what: Plain, _ lock: Atomic, _ t: ModelThread) throws -> Bool {
    try t.lock(lock)
    let wasThere = try t.read(what) == 1
    if wasThere { try t.write(0, to: what) }
    try t.unlock(lock)
    return wasThere
  }

  private func takeContents(_ t: ModelThread) throws {
    try t.require(try t.read(contents) == 1, "there is nothing to submit")
    try t.write(2, to: contents)
  }

  private func release(_ t: ModelThread) throws {
    guard try t.fetchAdd(references, -1, orderings[.release]) == 1 else { return }
    try t.require(try t.read(contents) == 2, "what is to be submitted is freed")
    try t.free(references)
  }
}

@Suite struct DelayedItemTests {
  private var scenario: Scenario<DelayedItemSite> {
    Scenario("a cancel while the timer is set and becomes due") { p, orderings in
      let model = DelayedItemModel(&p, orderings)
      p.thread("submitter") { t in try model.submit(t) }
      p.thread("driver") { t in try model.fire(t) }
      p.thread("canceller") { t in try model.cancel(t) }
    }
  }

  @Test func aDelayedItemIsSubmittedOrCancelledBeforeItIsFreed() {
    expectHolds([scenario])
  }

  @Test func everyOrderingOfTheDelayedItemIsNeeded() {
    expectEachWeakeningFails([scenario])
  }
}
