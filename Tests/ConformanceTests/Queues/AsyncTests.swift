// AsyncTests — `async` in all its forms.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AsyncTests {
  @Test func everyQoSAndFlagRunsTheClosureOnce() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let group = DispatchGroup()
      let done = EventCounter("items")
      var submitted = 0
      for qos in everyQoS {
        for flags in everyFlags {
          queue.async(qos: qos, flags: flags) { done.increment() }
          queue.async(group: group, qos: qos, flags: flags) { done.increment() }
          queue.async(group: nil, qos: qos, flags: flags) { done.increment() }
          submitted += 3
        }
        queue.async(qos: qos) { done.increment() }
        queue.async(group: group, qos: qos) { done.increment() }
        submitted += 2
      }
      for flags in everyFlags {
        queue.async(flags: flags) { done.increment() }
        queue.async(group: group, flags: flags) { done.increment() }
        submitted += 2
      }
      try done.wait(for: submitted)
      group.wait()
      #expect(done.value == submitted)
    }
  }

  @Test func everyQoSAndFlagRunsTheWorkItemOnce() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let group = DispatchGroup()
      let done = EventCounter("items")
      var submitted = 0
      for qos in everyQoS {
        for flags in everyFlags {
          queue.async(execute: DispatchWorkItem(qos: qos, flags: flags) { done.increment() })
          queue.async(
            group: group, execute: DispatchWorkItem(qos: qos, flags: flags) { done.increment() })
          submitted += 2
        }
      }
      try done.wait(for: submitted)
      group.wait()
      #expect(done.value == submitted)
    }
  }

  @Test func capturesAreReleasedAfterTheRun() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let tracker = LeakTracker()
      let group = DispatchGroup()
      let done = EventCounter("items")
      for _ in 0..<20 {
        let object = tracker.makeObject()
        queue.async {
          object.touch()
          done.increment()
        }
        queue.async(group: group, flags: .barrier) {
          object.touch()
          done.increment()
        }
        queue.async(
          execute: DispatchWorkItem {
            object.touch()
            done.increment()
          })
        queue.asyncAfter(deadline: .now()) {
          object.touch()
          done.increment()
        }
      }
      try done.wait(for: 80)
      try tracker.waitUntilAllAreFreed()
      #expect(tracker.made == 20)
    }
  }

  @Test func capturesAreReleasedBeforeTheGroupIsEmpty() throws {
    // When a wait for the group ends, nothing of the group's items is left.
    let queue = DispatchQueue(label: "test.released", attributes: .concurrent)
    let tracker = LeakTracker()
    func submit(to group: DispatchGroup) {
      let object = tracker.makeObject()
      queue.async(group: group) { object.touch() }
    }
    var leftBehind = 0
    for _ in 0..<200 {
      let group = DispatchGroup()
      submit(to: group)
      group.wait()
      leftBehind += tracker.alive
    }
    #expect(leftBehind == 0)
    #expect(tracker.made == 200)
  }

  @Test func itemMaySubmitMoreWork() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let done = EventCounter("items")
      @Sendable func descend(_ depth: Int) {
        done.increment()
        if depth > 0 {
          queue.async { descend(depth - 1) }
          queue.async { descend(depth - 1) }
        }
      }
      queue.async { descend(7) }
      try done.wait(for: 255)
      queue.sync(flags: .barrier) {}
      #expect(done.value == 255)
    }
  }

  @Test func hopsBetweenTwoQueuesKeepOrder() throws {
    let ping = DispatchQueue(label: "test.ping")
    let pong = DispatchQueue(label: "test.pong")
    let log = EventLog<Int>()
    let end = Gate("end of the hops")
    @Sendable func hop(_ left: Int) {
      log.append(left)
      if left == 0 { return end.open() }
      (left % 2 == 0 ? pong : ping).async { hop(left - 1) }
    }
    ping.async { hop(500) }
    try end.wait()
    #expect(log.all == Array((0...500).reversed()))
  }
}
