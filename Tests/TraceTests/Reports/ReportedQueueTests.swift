// ReportedQueueTests — what a report says about queues.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ReportedQueueTests {
  @Test func aSuspendedQueueIsFoundWithItsItems() throws {
    let name = "report.suspended"
    let busy = DispatchQueue(label: name)
    busy.suspend()
    for _ in 0..<3 { busy.async {} }
    // All queues' items together may be too many for one report to count.
    let found = try queue(name) { $0.count == 3 && !$0.hasMore }
    #expect(found.kind == .serial)
    #expect(found.isSuspended)
    #expect(!found.isInactive)
    #expect(found.owner == nil)
    #expect(found.oldest == nil)
    let words = "the queue \"report.suspended\" (serial) holds 3 items; it is suspended"
    try inReport("line of words") { report in
      report.text.split(separator: "\n").contains { $0 == words } ? () : nil
    }
    busy.resume()
    try waitUntilGone(name)
  }

  @Test func aQueueWithoutWorkIsNotListed() {
    let idle = DispatchQueue(label: "report.idle")
    idle.sync {}
    idle.suspend()
    #expect(!SignalboxReport.now.queues.contains { $0.label == "report.idle" })
    idle.resume()
  }

  @Test func itemsBehindALongItemAreCounted() throws {
    let name = "report.long"
    let busy = DispatchQueue(label: name)
    let (begun, over) = (Gate(), Gate())
    busy.async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    for _ in 0..<500 { busy.async {} }
    let found = try queue(name) { $0.count == 500 }
    let owner = try #require(found.owner)
    let thread = try inReport("owner that waits") { report in
      report.threads.first { $0.number == owner && $0.state == .waiting }
    }
    #expect(thread.name.hasPrefix("sb-default-"))
    over.open()
    try waitUntilGone(name)
  }

  @Test func tooManyItemsAreNotAllCounted() throws {
    let name = "report.deep"
    let deep = DispatchQueue(label: name, attributes: .initiallyInactive)
    for _ in 0..<10_050 { deep.async {} }
    let found = try queue(name) { ($0.count ?? 0) >= 10_000 }
    #expect(found.hasMore)
    #expect(found.isInactive)
    deep.activate()
    try waitUntilGone(name)
  }

  @Test func aThreadInSyncShowsHowLongTheOldestHasWaited() throws {
    let name = "report.oldest"
    let busy = DispatchQueue(label: name)
    let (begun, over) = (Gate(), Gate())
    busy.async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    busy.async {}
    let waiter = try PlainThread { busy.sync {} }
    let first = try queue(name) { $0.oldest != nil }
    let later = try queue(name) { $0.oldest != first.oldest && $0.count == 2 }
    #expect(try #require(later.oldest) > #require(first.oldest))
    over.open()
    try waiter.join()
  }

  @Test func concurrentItemsAreNotWaitingItems() throws {
    let name = "report.concurrent"
    let busy = DispatchQueue(label: name, attributes: .concurrent)
    let over = Gate()
    for _ in 0..<3 { busy.async { over.pass() } }
    busy.async(flags: .barrier) {}
    // A worker that has just looked at the barrier may still hold the queue.
    let found = try queue(name) { $0.running == 3 && $0.count == 1 && $0.owner == nil }
    #expect(found.kind == .concurrent)
    over.open()
    try waitUntilGone(name)
  }

  @Test func aQueueThatWaitsForItsTargetIsListedInIt() throws {
    let bottom = DispatchQueue(label: "report.bottom")
    let top = DispatchQueue(label: "report.top", target: bottom)
    let (begun, over) = (Gate(), Gate())
    bottom.async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    top.async {}
    top.async {}
    let found = try queue("report.top") { $0.count == 2 }
    #expect(found.target == "report.bottom")
    _ = try queue("report.bottom") { $0.count == 1 }
    let words =
      "the queue \"report.top\" (serial, with the target \"report.bottom\") holds 2 items; it waits to be "
      + "served"
    try inReport("line of words") { report in
      report.text.split(separator: "\n").contains { $0 == words } ? () : nil
    }
    over.open()
    try waitUntilGone("report.top")
    try waitUntilGone("report.bottom")
  }

  @Test func aWorkloopsItemsAreCountedWhereItHasOrderedThem() throws {
    let name = "report.workloop"
    let loop = DispatchWorkloop(label: name, attributes: .initiallyInactive)
    let (begun, over) = (Gate(), Gate())
    loop.async(qos: .userInteractive) {
      begun.open()
      over.pass()
    }
    for qos in [DispatchQoS.utility, .default, .userInitiated] { loop.async(qos: qos) {} }
    loop.activate()
    try begun.wait()
    let found = try queue(name) { $0.count == 3 }
    #expect(found.kind == .workloop)
    loop.async {}
    #expect(try queue(name) { $0.count == 4 }.owner != nil)
    over.open()
    try waitUntilGone(name)
  }

  @Test func aChainOfTargetsThatEndsAtOnceIsDropped() throws {
    var bottom = DispatchQueue(label: "report.chain")
    for _ in 0..<1000 { bottom = DispatchQueue(label: "report.chain", target: bottom) }
    bottom.async {}
    bottom = DispatchQueue(label: "report.other")
    try waitUntilGone("report.chain")
  }
}
