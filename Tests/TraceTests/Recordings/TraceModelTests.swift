// TraceModelTests — what a trace derives from events, one thing at a time.

import SignalboxRunLoop
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct TraceModelTests {
  @Test func aHopIsRecorded() throws {
    var image = ImageBuilder()
    image.queue(9, "root", .global)
    image.queue(7, "log", .serial, target: 9)
    image.thread(1, "main", .main, kernel: 4711)
    image.thread(2, "sb-1", .worker, kernel: 4712)
    image.event(10, 1, .itemSubmitted, 7, 64, flags: 3, a: 4)
    image.event(25, 2, .itemStarted, 7, 64)
    image.event(95, 2, .itemFinished, 7, 64, a: 2, b: 3)
    let trace = try image.trace()
    #expect(trace.queues.map(\.target) == [-1, 0])
    #expect(trace.queueName(1) == "log" && trace.queues[1].kind == .serial)
    #expect(trace.threads.map(\.kernel) == [4711, 4712])
    #expect(trace.threads.map(\.role) == [.main, .worker])
    let items = trace.items
    #expect(items.queue == [1] && items.submitted == [10] && items.started == [25])
    #expect(items.finished == [95] && items.submitter == [0] && items.runner == [1])
    #expect(items.within == [-1] && items.flags == [[.barrier, .delayed]] && items.qos == [4])
    #expect(items.switches == [2] && items.preempted == [3])
    #expect(trace.meta.duration == 95 && trace.meta.program == "painter")
    #expect(trace.began.text == "2026-11-20T18:00:00.123Z")
  }

  @Test func aDrainTaskIsNotWork() throws {
    var image = ImageBuilder()
    image.event(1, 1, .itemSubmitted, 9, 64, flags: 16)
    image.event(2, 1, .itemSubmitted, 7, 128)
    image.event(3, 2, .itemStarted, 9, 64)
    image.event(4, 2, .itemStarted, 7, 128)
    image.event(5, 2, .itemSubmitted, 7, 192)
    image.event(6, 2, .itemFinished, 7, 128)
    image.event(7, 2, .itemSubmitted, 7, 256)
    image.event(8, 2, .itemFinished, 9, 64)
    let trace = try image.trace()
    #expect(trace.items.submitted == [2, 5, 7] && trace.items.finished == [6, -1, -1])
    // A submission between items, by any thread that drains the queue, is within no item.
    #expect(trace.items.within == [-1, 0, -1])
    #expect(trace.meta.notes.isEmpty)
  }

  /// Otherwise each end would be searched for among everything that has begun.
  @Test func ofManyThatBeganAndDidNotEndAStoryIsMadeInTime() throws {
    let count = UInt64(60_000)
    var image = ImageBuilder()
    image.chunkSize = 1 << 25
    for kind in [EventKind.itemStarted, .waitBegan, .lockTaken] {
      for index in 0..<count { image.event(index, 1, kind, 7 + index, 64) }
    }
    for kind in [EventKind.itemFinished, .waitEnded, .lockLeft] {
      for index in 0..<count { image.event(count + index, 1, kind, 6, 64) }
    }
    // Items that a trace omits, and what is submitted within them.
    for index in 0..<count { image.event(index, 2, .itemStarted, 9, index, flags: 16) }
    for index in 0..<count { image.event(count + index, 2, .itemSubmitted, 6, index) }
    let trace = try image.trace()
    #expect(trace.items.count == 2 * Int(count) && trace.waits.count == Int(count))
    #expect(trace.holds.count == Int(count))
    #expect(trace.meta.notes.contains { $0.hasPrefix("\(3 * count) ends were left out, because") })
  }

  /// Queues and objects are numbered separately.
  @Test func anObjectWithoutANameIsNotTheQueueOfItsNumber() throws {
    var image = ImageBuilder()
    image.queue(7, "com.example.db")
    image.event(10, 1, .waitBegan, 7, a: 4)
    image.event(20, 2, .wake, 7)
    image.event(30, 1, .waitEnded, 7, b: 2)
    let trace = try image.trace()
    #expect(trace.waits.queue == [TraceModel.none])
    #expect(trace.objects[Int(trace.waits.object[0])].kind == .other)
  }

  @Test func causesPrecedeTheirEffectsAtTheSameTime() throws {
    var image = ImageBuilder()
    // The later thread's submission and the earlier one's start have the same nanosecond.
    image.event(5, 1, .itemStarted, 7, 64)
    image.event(5, 2, .itemSubmitted, 7, 64)
    #expect(try image.trace().items.submitted == [5])
    #expect(try image.trace().items.started == [5])
  }

  @Test func simultaneousEventsOfAThreadKeepTheirOrder() throws {
    var image = ImageBuilder()
    for address in 1...3 as ClosedRange<UInt64> {
      image.event(5, 1, .itemSubmitted, 7, address)
      image.event(5, 1, .itemStarted, 7, address)
      image.event(5, 1, .itemFinished, 7, address)
    }
    let trace = try image.trace()
    #expect(trace.items.finished == [5, 5, 5] && trace.items.within == [-1, -1, -1])
  }

  @Test func aThreadsClockNeverGoesBack() throws {
    var image = ImageBuilder()
    image.event(9, 1, .itemStarted, 7, 64)
    // The time was read before and recorded after: a signal handler came in between.
    image.event(8, 1, .itemFinished, 7, 64)
    image.event(20, 1, .itemStarted, 7, 64)
    let trace = try image.trace()
    #expect(trace.items.finished == [9, -1])
    #expect(
      trace.meta.notes == [
        "a thread's clock went back, by 1 ns at most; its events keep their order"
      ])
  }

  /// If the kernel's clock differs between processors, nothing ends before it began, and
  /// nothing is reported twice.
  @Test func clocksThatDifferBetweenThreadsMakeNoTimeNegative() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<20 {
      let program = MadeUpProgram(threads: 4, queues: 2, steps: 1200, generator: generator.split())
      var image = program.image()
      for chunk in image.chunks.indices {
        // A thread stays on its processor, whose clock is late or early.
        let skew = UInt64(image.chunks[chunk].thread) * 40
        for event in image.chunks[chunk].events.indices {
          image.chunks[chunk].events[event].time += skew
        }
      }
      let trace = try image.trace()
      let items = trace.items
      for item in 0..<items.count {
        let times = [items.submitted[item], items.started[item], items.finished[item]]
          .filter { $0 >= 0 }
        #expect(times == times.sorted())
      }
      for wait in 0..<trace.waits.count where trace.waits.ended[wait] >= 0 {
        #expect(trace.waits.began[wait] <= trace.waits.ended[wait])
      }
      let started = program.items.count { $0.started != nil }
      #expect(items.started.count { $0 >= 0 } == started)
      #expect(items.submitted.count { $0 >= 0 } == program.items.count { $0.submitted != nil })
    }
  }

  @Test func aSyncIsAnItemOfItsCaller() throws {
    var image = ImageBuilder()
    image.event(10, 1, .itemStarted, 7, 64)
    image.event(30, 1, .waitBegan, 8, flags: 1, a: 0, b: 2)
    image.event(40, 2, .itemStarted, 8, 128)
    image.event(50, 2, .itemFinished, 8, 128)
    image.event(60, 1, .waitEnded, 8, flags: 1)
    image.event(61, 1, .syncEntered, 8, image.began + 29)
    image.event(70, 1, .syncLeft, 8)
    image.event(80, 1, .itemFinished, 7, 64)
    image.queue(8, "guard")
    let trace = try image.trace()
    #expect(trace.items.flags == [[], [], [.sync]])
    #expect(trace.items.submitted == [-1, -1, 29] && trace.items.started == [10, 40, 61])
    #expect(trace.items.submitter[2] == trace.items.runner[2])
    #expect(trace.items.within == [-1, -1, 0])
    // The wait belongs to the outer item and is for a queue. The thread that finished an item
    // of the queue ended it.
    #expect(trace.waits.item == [0] && trace.waits.queue == [0] && trace.waits.object == [-1])
    #expect(trace.threads[Int(trace.waits.owner[0])].number == 2)
    #expect(trace.threads[Int(trace.waits.waker[0])].number == 2)
    #expect(trace.waitWords(0) == "in sync, for the queue \"guard\"")
  }

  @Test func theLastSignallerIsTheWakerUnlessOneIsNamed() throws {
    try withEvery("kind", in: [EventKind.wake, .semaphoreSignalled, .groupLeft, .lockLeft]) {
      kind in
      var image = ImageBuilder()
      image.event(1, 3, .lockTaken, 5)
      image.event(2, 2, kind, 5)
      image.event(10, 1, .waitBegan, 5, a: 1)
      image.event(11, 2, kind, 6)
      image.event(20, 1, .waitEnded, 5)
      // Too early, or for another object.
      #expect(try image.trace().waits.waker == [-1])
      image.event(30, 1, .waitBegan, 5, a: 1)
      image.event(31, 2, kind, 5)
      image.event(32, 3, kind, 5)
      image.event(33, 1, .waitEnded, 5)
      image.event(40, 1, .waitBegan, 5, a: 1)
      image.event(41, 2, kind, 5)
      image.event(42, 1, .waitEnded, 5, b: 9)
      image.event(50, 1, .waitBegan, 5, a: 1)
      image.event(51, 2, kind, 5)
      image.event(52, 1, .waitEnded, 5, flags: 2)
      let trace = try image.trace()
      let numbers = trace.waits.waker.map { $0 < 0 ? 0 : trace.threads[Int($0)].number }
      #expect(numbers == [0, 3, 9, 0])
      #expect(trace.waits.timedOut == [false, false, false, true])
    }
  }

  @Test func unfinishedWaitsAndIdleWorkersAreShown() throws {
    var image = ImageBuilder()
    image.object(5, .semaphore, "slots")
    image.event(3, 2, .workerParked)
    image.event(5, 1, .waitBegan, 5, a: 1)
    image.event(8, 2, .workerUnparked)
    image.event(9, 2, .workerParked)
    let trace = try image.trace()
    #expect(trace.parked.began == [3, 9] && trace.parked.ended == [8, -1])
    #expect(trace.waits.ended == [-1] && trace.waits.waker == [-1])
    #expect(trace.waitWords(0) == "for a signal of the semaphore \"slots\"")
  }

  @Test func aWorkerThatIsWokenFirstOfAllWasParkedWhenTheRecordingBegan() throws {
    var image = ImageBuilder()
    image.event(4, 1, .workerUnparked)
    image.event(6, 1, .workerUnparked)
    // An event of this thread was lost.
    image.event(5, 2, .workerUnparked, lost: 1)
    let trace = try image.trace()
    #expect(trace.parked.began == [0] && trace.parked.ended == [4])
    #expect(trace.meta.notes == ["2 ends were left out, because their beginnings are not recorded"])
  }

  @Test func endsWithoutBeginningsAreLeftOutAndCounted() throws {
    var image = ImageBuilder()
    image.event(1, 1, .itemFinished, 7, 64)
    image.event(2, 1, .syncLeft, 7)
    image.event(3, 1, .waitEnded, 5)
    image.event(4, 1, .workerUnparked)
    image.event(5, 1, .lockLeft, 5)
    image.event(6, 1, .runLoopStep, 5, 129)
    let trace = try image.trace()
    #expect(trace.items.count == 0 && trace.waits.count == 0 && trace.parked.count == 0)
    #expect(trace.holds.count == 0 && trace.passes.count == 0)
    #expect(trace.meta.notes == ["6 ends were left out, because their beginnings are not recorded"])
  }

  @Test func aSingleEndWithoutItsBeginningIsReportedInTheSingular() throws {
    var image = ImageBuilder()
    image.event(1, 1, .syncLeft, 7)
    #expect(
      try image.trace().meta.notes == ["1 end was left out, because its beginning is not recorded"])
  }

  @Test func spansOpenWhenEventsWereLostEndAtAnUnknownTime() throws {
    var image = ImageBuilder()
    image.event(1, 1, .itemStarted, 7, 64)
    image.event(2, 1, .waitBegan, 5)
    image.event(3, 1, .lockTaken, 6)
    image.event(50, 1, .itemFinished, 7, 64, lost: 4)
    let trace = try image.trace()
    #expect(trace.items.finished == [-1] && trace.items.flags == [.isTruncated])
    #expect(trace.waits.count == 0 && trace.holds.count == 0)
    #expect(trace.gaps.at == [50] && trace.gaps.lost == [4])
  }

  @Test func ifTheOldestEventsAreLostTheModelStartsWithTheFirst() throws {
    var image = ImageBuilder()
    image.eventsLost = 9
    image.event(1000, 1, .itemSubmitted, 7, 64, lost: 9)
    image.event(1010, 1, .syncEntered, 7, image.began + 990)
    let trace = try image.trace()
    #expect(trace.items.submitted == [0, -1] && trace.items.started == [-1, 10])
    #expect(trace.meta.duration == 10 && trace.meta.beganMonotonic == image.began + 1000)
    #expect(trace.meta.beganOnTheWall == image.beganOnTheWall + 1000)
  }

  @Test func timersHaveTheirDueTimes() throws {
    var image = ImageBuilder()
    image.object(5, .timer, "tick")
    image.event(1, 1, .timerArmed, 5, image.began + 40)
    image.event(50, 2, .timerFired, 5, 10)
    // The timer rearmed itself; its lateness shows that.
    image.event(95, 2, .timerFired, 5, 5)
    image.event(96, 2, .timerArmed, 5, image.began + 100)
    image.event(97, 2, .timerCancelled, 5)
    let trace = try image.trace()
    #expect(trace.timers.fired == [50, 95] && trace.timers.due == [40, 90])
    #expect(trace.timers.late == [10, 5])
  }

  @Test func passesOfARunLoopAndWhatItsObserversWaitedFor() throws {
    var image = ImageBuilder()
    image.object(5, .runLoop, "main")
    for (at, step) in [
      (1, 0), (2, 1), (3, 2), (7, 4), (8, 6), (20, 8), (21, 9), (22, 1), (30, 2), (31, 129),
    ] as [(UInt64, UInt64)] {
      image.event(at, 1, .runLoopStep, 5, step)
    }
    let trace = try image.trace()
    #expect(trace.passes.began == [2, 22] && trace.passes.ended == [22, 31])
    #expect(trace.steps.step == [0, 1, 2, 4, 6, 8, 9, 1, 2, 129])
    let spans = trace.loopSpans()
    #expect(spans.map(\.step) == [2, 8] && spans.map(\.work) == [4, 9])
    #expect(spans.map { $0.workAt - $0.at } == [4, 1])
  }

  @Test func theTraceModelHasEveryRunLoopStep() throws {
    let thread = UInt64(kernelThreadNumber())
    let heard = Guarded<[UInt64]>([])
    let id = ProbeSubscribers.shared.subscribe(to: [.runLoopStep]) { event in
      if UInt64(kernelThreadNumber()) == thread { heard.withValue { $0.append(event.detail) } }
    }
    defer { ProbeSubscribers.shared.unsubscribe(id) }
    let loop = CFRunLoopGetCurrent()
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) {}
    _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
    // Entry, timers, sources, a block, and the end.
    let steps = heard.current
    #expect(steps.starts(with: [0, 1, 2]) && steps.contains(3))
    #expect(steps.last.map { $0 >= 128 } == true)
  }

  @Test func marksLocksAndThreadsAreRecorded() throws {
    var image = ImageBuilder()
    image.object(5, .lock, "canvas")
    image.text(3, "frame 1")
    image.event(1, 1, .threadStarted)
    image.event(2, 1, .lockTaken, 5)
    image.event(3, 1, .mark, 0, 3)
    image.event(4, 1, .lockTaken, 6)
    image.event(5, 1, .lockLeft, 5)
    image.event(6, 1, .threadEnded)
    let trace = try image.trace()
    #expect(trace.holds.began == [2, 4] && trace.holds.ended == [5, -1])
    #expect(trace.marks.at == [3] && trace.string(trace.marks.text[0]) == "frame 1")
    #expect(trace.threads[0].began == 1 && trace.threads[0].ended == 6)
    #expect(trace.objectName(trace.holds.object[0]) == "lock \"canvas\"")
  }

  // MARK: Names

  @Test func aNumberHasItsMeaningAtItsTime() throws {
    var image = ImageBuilder()
    image.queue(7, "first", when: image.began + 5)
    image.queue(7, "second", when: image.began + 20)
    image.text(3, "one", when: image.began)
    image.text(3, "two", when: image.began + 20)
    image.thread(1, "old", kernel: 50)
    image.thread(1, "renamed", kernel: 50, when: image.began + 15)
    image.thread(1, "other", kernel: 51, when: image.began + 20)
    // Before its first record, an id means what that record says.
    image.event(1, 1, .itemSubmitted, 7, 64)
    image.event(10, 1, .mark, 0, 3)
    image.event(20, 1, .itemStarted, 7, 64)
    image.event(21, 1, .itemSubmitted, 7, 128)
    image.event(22, 1, .mark, 0, 3)
    let trace = try image.trace()
    #expect(trace.items.queue.map { trace.queueName($0) } == ["first", "second"])
    // The item belongs to the queue that it was submitted to.
    #expect(trace.items.started == [20, -1])
    #expect(trace.marks.text.map { trace.string($0) } == ["one", "two"])
    #expect(trace.threads.map { trace.string($0.name) } == ["renamed", "other"])
    #expect(trace.items.submitter == [0, 1])
  }

  @Test func drainsLoopsAndGroupsAreRecorded() throws {
    var image = ImageBuilder()
    image.queue(7, "log")
    image.object(5, .group, "a group", isDescription: true)
    image.event(10, 1, .groupEntered, 5)
    image.event(20, 2, .drainBegan, 7)
    image.event(21, 2, .itemStarted, 7, 64)
    image.event(22, 2, .loopBegan, 0, 8)
    image.event(30, 2, .loopEnded, 0, 8)
    image.event(35, 2, .itemFinished, 7, 64)
    image.event(40, 2, .drainEnded, 7)
    image.event(50, 2, .groupLeft, 5)
    image.event(60, 2, .drainBegan, 7)
    // The recording contains only the end of this one.
    image.event(70, 3, .drainEnded, 7)
    image.written = image.began + 100
    let trace = try image.trace()
    #expect(trace.drains.count == 2 && trace.drains.began == [20, 60])
    #expect(trace.drains.ended == [40, TraceModel.unknown])
    #expect(trace.drains.queue.map { trace.queueName($0) } == ["log", "log"])
    #expect(trace.loops.iterations == [8] && trace.loops.began == [22] && trace.loops.ended == [30])
    #expect(trace.loops.item == [0])
    #expect(trace.turns.isEntry == [true, false] && trace.turns.at == [10, 50])
    #expect(trace.meta.notes.contains("1 end was left out, because its beginning is not recorded"))
    let events = try #require(PlainText(trace).events)
    for words in [
      "enters a group", "leaves a group", "begins to serve log", "has served log",
      "calls concurrentPerform(iterations: 8)", "returns from concurrentPerform(iterations: 8)",
    ] { #expect(events.contains(words), "\(events)") }
  }

  @Test func aLossEndsTheOpenSpansOfAThread() throws {
    var image = ImageBuilder()
    image.event(10, 2, .drainBegan, 7)
    image.event(11, 2, .loopBegan, 0, 8)
    image.event(50, 2, .mark, 0, 12, lost: 3)
    let trace = try image.trace()
    #expect(trace.drains.count == 0 && trace.loops.count == 0)
  }

  @Test func aQueueThatGetsAnotherTargetStaysItself() throws {
    var image = ImageBuilder()
    image.queue(1, "a")
    image.queue(2, "b")
    image.queue(7, "log", target: 1)
    image.queue(7, "log", target: 2, when: image.began + 10)
    image.event(20, 1, .itemSubmitted, 7, 64)
    let trace = try image.trace()
    #expect(trace.queues.count == 3 && trace.queues[2].target == 1)
  }

  @Test func unnamedObjectsAreShownByTheirNumber() throws {
    var image = ImageBuilder()
    image.event(1, 9, .itemSubmitted, 0xABC, 64)
    image.event(2, 9, .waitBegan, 5, a: 999)
    image.event(3, 9, .mark, 0, 12)
    let trace = try image.trace()
    #expect(trace.queueName(0) == "queue 2748 (name lost)" && trace.threadName(0) == "thread 9")
    #expect(trace.waitWords(0) == "for (reason 999) an object")
    #expect(trace.string(trace.marks.text[0]) == "(text lost)")
  }

  @Test func thousandsOfQueuesAndThreadsAreDistinguished() throws {
    var image = ImageBuilder()
    image.chunkSize = 96
    for index in 0..<2000 as Range<UInt64> {
      image.queue(10_000 + index, "queue \(index)")
      image.chunks.append(
        .init(
          thread: UInt32(index + 1),
          events: [
            TraceEvent(
              time: image.began + index, thread: UInt32(index + 1), kind: .itemSubmitted,
              object: 10_000 + index, detail: 64),
            TraceEvent(
              time: image.began + 9000 - index, thread: UInt32(index + 1), kind: .itemStarted,
              object: 10_000 + (index + 1) % 2000, detail: 64),
          ]))
    }
    let trace = try image.trace()
    #expect(trace.items.count == 2000 && trace.queues.count == 2000)
    for item in 0..<2000 {
      #expect(trace.items.submitted[item] == Int64(item))
      #expect(trace.items.started[item] == Int64(9000 - (item + 1999) % 2000))
    }
  }
}
