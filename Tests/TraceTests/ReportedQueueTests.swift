// What a report says of queues.

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
    let found = try queue(name)
    #expect(found.kind == .serial)
    #expect(found.count == 3)
    #expect(!found.hasMore)
    #expect(found.isSuspended)
    #expect(!found.isInactive)
    #expect(found.owner == nil)
    #expect(found.oldest == nil)
    #expect(
      SignalboxReport.text.contains(
        "\nthe queue \"report.suspended\" (serial) holds 3 item(s); it is suspended\n"))
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

  @Test func whatStandsBehindALongItemIsCounted() throws {
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
    let thread = try inReport("owner") { $0.threads.first { $0.number == owner } }
    #expect(thread.name.hasPrefix("sb-default-"))
    #expect(thread.state == .waiting)
    over.open()
    try waitUntilGone(name)
  }

  @Test func tooManyItemsAreNotAllCounted() throws {
    let name = "report.deep"
    let deep = DispatchQueue(label: name, attributes: .initiallyInactive)
    for _ in 0..<10_050 { deep.async {} }
    let found = try queue(name) { $0.count != nil }
    #expect(found.hasMore)
    #expect(found.isInactive)
    #expect(try #require(found.count) >= 10_000)
    deep.activate()
    try waitUntilGone(name)
  }

  @Test func aThreadInSyncSaysForHowLongTheOldestHasWaited() throws {
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
    let later = try queue(name) { $0.oldest != first.oldest }
    #expect(later.count == 2)
    #expect(try #require(later.oldest) > #require(first.oldest))
    over.open()
    try waiter.join()
  }

  @Test func itemsThatRunSideBySideAreNoItemsThatWait() throws {
    let name = "report.concurrent"
    let busy = DispatchQueue(label: name, attributes: .concurrent)
    let over = Gate()
    for _ in 0..<3 { busy.async { over.pass() } }
    busy.async(flags: .barrier) {}
    let found = try queue(name) { $0.running == 3 && $0.count == 1 }
    #expect(found.kind == .concurrent)
    #expect(found.owner == nil)
    over.open()
    try waitUntilGone(name)
  }

  @Test func aQueueThatWaitsForItsTargetStandsInThat() throws {
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
    let found = try queue("report.top")
    #expect(found.target == "report.bottom")
    #expect(found.count == 2)
    #expect(try queue("report.bottom").count == 1)
    let words = SignalboxReport.text.split(separator: "\n")
    #expect(
      words.contains(
        "the queue \"report.top\" (serial, upon \"report.bottom\") holds 2 item(s); it waits to be "
          + "served"))
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

  @Test func aChainOfTargetsThatEndsAtOnceIsForgotten() throws {
    var bottom = DispatchQueue(label: "report.chain")
    for _ in 0..<1000 { bottom = DispatchQueue(label: "report.chain", target: bottom) }
    bottom.async {}
    bottom = DispatchQueue(label: "report.other")
    try waitUntilGone("report.chain")
  }
}
