// RetargetTests — a queue of C code that gets another target while it is busy.

import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Retargeting", .guarded) struct RetargetTests {
  private static let key = DispatchSpecificKey<String>()

  /// A target whose items know its label.
  private static func target(_ label: String) -> DispatchQueue {
    let target = DispatchQueue(label: label)
    target.setSpecific(key: key, value: label)
    return target
  }

  /// A queue on the target "old", busy until `gate` opens.
  private static func busyQueue(
    isConcurrent: Bool, on old: DispatchQueue = target("old"), until gate: Gate
  ) -> DispatchQueue {
    let queue = DispatchQueue.makeRetargetable(
      label: "busy", qos: .unspecified, isConcurrent: isConcurrent)
    queue.retarget(to: old, "retarget")
    queue.async { gate.pass() }
    return queue
  }

  private static var label: String { DispatchQueue.getSpecific(key: key) ?? "none" }

  @Test(arguments: [false, true])
  func itemsBehindTheChangeRunOnTheNewTarget(isConcurrent: Bool) throws {
    let (gate, ended, log) = (Gate(), Gate("items ran"), Guarded<[String]>([]))
    let queue = Self.busyQueue(isConcurrent: isConcurrent, until: gate)
    queue.async { log.withValue { $0.append(Self.label) } }
    queue.retarget(to: Self.target("new"), "retarget")
    queue.async { log.withValue { $0.append(Self.label) } }
    queue.retarget(to: nil, "retarget")
    queue.async {
      log.withValue { $0.append(Self.label) }
      ended.open()
    }
    gate.open()
    try ended.wait()
    #expect(log.current == ["old", "new", "none"])
  }

  @Test func aThreadThatWaitsInSyncIsOnTheNewTarget() throws {
    let gate = Gate()
    let queue = Self.busyQueue(isConcurrent: false, until: gate)
    queue.retarget(to: Self.target("new"), "retarget")
    gate.open()
    #expect(queue.sync { Self.label } == "new")
  }

  @Test func itemsWaitForASuspendedNewTarget() throws {
    let (gate, ran, old, new) = (Gate(), Gate("item ran"), Self.target("old"), Self.target("new"))
    let queue = Self.busyQueue(isConcurrent: false, on: old, until: gate)
    new.suspend()
    queue.retarget(to: new, "retarget")
    queue.async { ran.open() }
    gate.open()
    // Behind all that the old target runs of the queue.
    old.sync {}
    #expect(!ran.isOpened)
    new.resume()
    try ran.wait()
  }

  @Test func aSuspendedQueueGetsItsTargetWithTheNextResume() throws {
    let queue = DispatchQueue.makeRetargetable(
      label: "suspended", qos: .unspecified, isConcurrent: false)
    queue.suspend()
    queue.retarget(to: Self.target("new"), "retarget")
    queue.resume()
    #expect(queue.sync { Self.label } == "new")
  }

  @Test func aQueueThatSuspendsItselfBeforeTheChangeStaysSo() throws {
    let (gate, ran, old) = (Gate(), Gate("item ran"), Self.target("old"))
    let queue = Self.busyQueue(isConcurrent: false, on: old, until: gate)
    queue.async { queue.suspend() }
    queue.retarget(to: Self.target("new"), "retarget")
    queue.async { ran.open() }
    gate.open()
    old.sync {}
    #expect(!ran.isOpened)
    queue.resume()
    try ran.wait()
  }

  /// Nothing is behind the change, so the owner that makes it finds no next item.
  @Test func aQueueWhoseLastItemIsTheChangeGoesOnRunning() throws {
    let (gate, old) = (Gate(), Self.target("old"))
    let queue = Self.busyQueue(isConcurrent: false, on: old, until: gate)
    queue.retarget(to: Self.target("new"), "retarget")
    gate.open()
    old.sync {}
    #expect(queue.sync { Self.label } == "new")
    queue.retarget(to: old, "retarget")
    #expect(queue.sync { Self.label } == "old")
  }

  /// A program that exchanges two targets for ever needs no more memory for it.
  @Test func aFormerTargetIsKeptOnce() {
    let queue = DispatchQueue.makeRetargetable(
      label: "changed", qos: .unspecified, isConcurrent: false)
    let targets = [Self.target("one"), Self.target("two")]
    for number in 0..<100 { queue.retarget(to: targets[number % 2], "retarget") }
    var kept = 0
    var next = queue.specifics.head.load()
    while let value = next?.takeUnretainedValue() {  // SAFETY: the chain retains it.
      kept += 1
      next = value.next.load()
    }
    #expect(kept == 2)
  }
}
