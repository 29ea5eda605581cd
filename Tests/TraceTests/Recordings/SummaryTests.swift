// SummaryTests — where the time went, and how the summary says it.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct SummaryTests {
  @Test func percentilesAreMeasuredValues() throws {
    #expect(Distribution([]).count == 0)
    let one = Distribution([7])
    #expect([one.median, one.p99, one.longest, one.total] == [7, 7, 7, 7])
    let hundred = Distribution((1...100).shuffled())
    #expect([hundred.median, hundred.p99, hundred.longest] == [50, 99, 100])
    #expect(Distribution([1, 2]).median == 1 && Distribution([1, 2, 3]).median == 2)
  }

  @Test func depthIsThatOfTheSlowCount() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<10 {
      let program = MadeUpProgram(threads: 4, queues: 3, steps: 800, generator: generator.split())
      let image = program.image()
      let trace = try image.trace()
      let end = image.began + UInt64(trace.meta.duration)
      for summary in trace.queueSummaries() {
        let items = program.items.filter { $0.queue == UInt64(100 + summary.queue) }
        // At each submission: the number of items that have not started.
        let depth = items.map { at in
          items.count {
            $0.submitted! <= at.submitted! && ($0.started ?? .max) > at.submitted!
          }
        }.max()
        #expect(summary.greatestDepth == depth ?? 0)
        #expect(summary.items == items.count)
        // Unfinished items count until the end.
        let running = items.compactMap { item in item.started.map { (item.finished ?? end) - $0 } }
        #expect(summary.running == Distribution(running.map { Int64($0) }))
        let waiting = items.map { ($0.started ?? end) - $0.submitted! }
        #expect(summary.waiting == Distribution(waiting.map { Int64($0) }))
      }
    }
  }

  /// A worker that waits for an item of the main queue is blocked; the main thread is not.
  @Test func aWorkerWithoutWorkIsIdleNotBlocked() throws {
    var image = ImageBuilder()
    image.thread(1, "", .main)
    image.thread(2, "", .worker)
    image.queue(7, "com.apple.main-thread", .main)
    image.object(5, .runLoop, "main run loop")
    let isQueue = TraceWaitFlags.isQueue.rawValue
    image.event(10, 1, .waitBegan, 7, flags: isQueue, b: 1)
    image.event(20, 2, .waitBegan, 7, flags: isQueue, b: 1)
    image.event(30, 1, .waitEnded, 7, flags: isQueue)
    image.event(35, 1, .waitBegan, 5)
    image.event(36, 1, .waitEnded, 5)
    image.event(60, 2, .waitEnded, 7, flags: isQueue)
    let trace = try image.trace()
    let threads = trace.threadSummaries()
    #expect(threads.map(\.idle) == [21, 0] && threads.map(\.blocked) == [0, 40])
    #expect((0..<trace.waits.count).map(trace.isIdle) == [true, false, true])
    let summary = PlainText(trace).summary
    #expect(summary.contains("40 ns  worker 2 waits"))
    #expect(!summary.contains("20 ns  main thread waits"))
  }

  @Test func aThreadsTimeIsCountedOnce() throws {
    var image = ImageBuilder()
    image.event(10, 1, .itemStarted, 7, 64)
    image.event(20, 1, .syncEntered, 8, image.began + 20)
    image.event(22, 1, .waitBegan, 5, a: 1)
    image.event(25, 1, .waitEnded, 5)
    image.event(30, 1, .syncLeft, 8)
    image.event(40, 1, .itemFinished, 7, 64, a: 3, b: 4)
    image.event(50, 1, .workerParked)
    image.event(80, 1, .workerUnparked)
    let row = try image.trace().threadSummaries()[0]
    #expect(row.items == 2 && row.running == 27 && row.blocked == 3 && row.idle == 30)
    #expect(row.switches == 7)
    let queues = try image.trace().queueSummaries()
    #expect(queues.map(\.blocked) == [0, 3] && queues.map(\.running.total) == [30, 10])
  }

  // MARK: Words

  /// The kernel's name of a main thread is the program's name, truncated.
  @Test func theMainThreadIsCalledMainUnlessItHasAName() throws {
    for (name, said) in [
      ("a program named", "main thread"), ("", "main thread"), ("a program", "a program"),
    ] {
      var image = ImageBuilder()
      image.program = "a program named so"
      image.thread(1, name, .main)
      image.thread(2, name, .worker)
      image.event(1, 1, .mark)
      image.event(2, 2, .mark)
      let trace = try image.trace()
      #expect(trace.threadName(0) == said)
      #expect(trace.threadName(1) == (name.isEmpty ? "worker 2" : name))
    }
  }

  @Test func aDescriptionIsShownAsItIs() throws {
    var image = ImageBuilder()
    image.object(5, .lock, "the NSLock \"canvas\"", isDescription: true)
    image.object(6, .lock, "canvas")
    image.object(7, .lock, "")
    image.object(8, .lock, "the canvas")
    image.object(9, .semaphore, "a semaphore made with 0", isDescription: true)
    for lock in 5...9 as ClosedRange<UInt64> { image.event(lock, 1, .lockTaken, lock) }
    let trace = try image.trace()
    #expect(
      trace.objects.indices.map { trace.objectName(TraceModel.Index($0)) }
        == [
          "the NSLock \"canvas\"", "lock \"canvas\"", "lock", "lock \"the canvas\"",
          "a semaphore made with 0",
        ])
  }

  /// The heading counts what the tables show.
  @Test func theHeadingAndTheTablesCountTheSame() throws {
    var image = busy()
    image.queue(20, "never used")
    image.event(300_000, 4, .itemSubmitted, 1, 1 << 20, b: 0)
    let text = PlainText(try image.trace()).summary
    #expect(text.contains("121 items on 12 queues, 5 waits, 2 threads on 4 processors"), "\(text)")
    #expect(text.contains("QUEUE (6 of 12) ") && text.contains("THREAD  "), "\(text)")
  }

  @Test func queuesOfOneLabelShareARow() throws {
    var image = ImageBuilder()
    for queue in 1...20 as ClosedRange<UInt64> {
      image.queue(queue, queue <= 12 ? "com.example.request" : "com.example.queue\(queue)")
      for item in 0..<2 as Range<UInt64> {
        image.event(queue * 100 + item, 1, .itemSubmitted, queue, item)
        image.event(queue * 100 + 10 + item * 10, 2, .itemStarted, queue, item)
        image.event(queue * 100 + 15 + item * 10, 2, .itemFinished, queue, item)
      }
    }
    // Seven are few, so each has a row.
    image.queue(21, "com.example.few")
    let trace = try image.trace()
    let rows = trace.queueRows()
    #expect(rows.count == 9 && rows.reduce(0) { $0 + $1.items } == 40)
    let one = try #require(rows.first { $0.queues > 1 })
    #expect(one.queues == 12 && one.items == 24 && one.greatestDepth == 2)
    #expect(one.running.total == 24 * 5 && one.waiting.count == 24)
    let text = PlainText(trace).summary
    #expect(text.contains("\n12 × com.example.request"), "\(text)")
    #expect(text.contains("40 items on 20 queues") && text.contains("QUEUE (17 of 20) "), "\(text)")
  }

  private func busy() -> ImageBuilder {
    var image = ImageBuilder()
    image.thread(1, "painter", .main)
    image.thread(2, "loader")
    image.object(5, .lock, "canvas")
    for queue in 1...12 as ClosedRange<UInt64> { image.queue(queue, "com.example.queue\(queue)") }
    for index in 0..<120 as Range<UInt64> {
      image.event(index * 1000, 1, .itemSubmitted, 1 + index % 12, index)
      image.event(index * 1000 + 500, 2, .itemStarted, 1 + index % 12, index)
      image.event(index * 1000 + 900, 2, .itemFinished, 1 + index % 12, index)
    }
    for index in 0..<5 as Range<UInt64> {
      image.event(200_000 + index * 1000, 1, .waitBegan, 5, a: 8, b: 2)
      image.event(200_300 + index * 1000 + index, 2, .lockLeft, 5)
      image.event(200_400 + index * 1000 + index, 1, .waitEnded, 5)
    }
    image.eventsLost = 3
    return image
  }

  @Test func theSummaryFitsOnOneScreenAndNamesTheWorstWait() throws {
    var image = busy()
    image.event(0, 3, .workerParked)
    let text = PlainText(try image.trace()).summary
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 24, "\(text)")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(text.contains("painter, process 4711: "))
    #expect(text.contains("! 3 events were lost; a larger SIGNALBOX_TRACE_SIZE keeps more"))
    #expect(text.contains("QUEUE (6 of 12) "))
    #expect(text.contains("com.example.queue1 "))
    #expect(
      text.contains("\nBLOCKED LONGEST\n  404 ns  main thread waits for the lock \"canvas\"\n"))
    #expect(text.contains("held by loader, woken by loader"))
  }

  /// A damaged recording may have such times.
  @Test func theLongestPossibleTimesAreShown() throws {
    for age in [92_233_720_368_547_757, 1 << 62] as [UInt64] {
      var image = ImageBuilder()
      image.event(1, 1, .itemSubmitted, 7, 64)
      image.event(age, 1, .itemStarted, 7, 64)
      let text = PlainText(try image.trace()).all
      #expect(text.contains(" d") && text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  /// One damaged event has moved a thread's clock forward, and everything after it is that much
  /// later.
  @Test func sumsOfTimesSaturate() throws {
    let late = UInt64(1) << 62
    var image = ImageBuilder()
    image.queue(7, "a")
    image.queue(8, "b", .main)
    image.thread(1, "main", .main)
    image.thread(2, "sb-1", .worker)
    for item in 0..<2000 as Range<UInt64> { image.event(item, 1, .itemSubmitted, 7, item) }
    for item in 2000..<2010 as Range<UInt64> {
      image.event(item, 2, .itemStarted, 8, item)
      image.event(item, 2, .waitBegan, item, flags: 1 << 4)
      image.event(item, 2, .syncEntered, 8, 1)
    }
    image.event(late, 2, .mark)
    for item in 2000..<2010 as Range<UInt64> {
      image.event(item, 2, .waitEnded, item)
      image.event(item, 2, .workerParked)
      image.event(item, 2, .waitBegan, 100)
    }
    for item in 0..<2000 as Range<UInt64> {
      image.event(item, 2, .itemStarted, 7, item)
      image.event(item, 2, .itemFinished, 7, item)
    }
    let trace = try image.trace()
    let queue = try #require(trace.queueSummaries().first { $0.items == 2000 })
    #expect(queue.waiting.longest > 1 << 61 && queue.waiting.total == .max / 2)
    #expect(!PlainText(trace).all.isEmpty && !PlainText(trace).advice.isEmpty)
    #expect(trace.threadSummaries().allSatisfy { $0.blocked >= 0 && $0.idle >= 0 })
  }

  @Test func anEmptyRecordingHasASummary() throws {
    let text = PlainText(try ImageBuilder().trace()).all
    #expect(text.contains("No queue was used.") && text.contains("No thread waited"))
  }

  @Test func labelsCannotControlATerminal() throws {
    let hostile = [
      "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\nb\r\tc", "\u{202E}gnp.exe", "\u{0}", "<script>",
      "\u{9B}31m",
      String(repeating: "画", count: 200), String(repeating: "👨‍👩‍👧", count: 60), "\u{2028}", "e\u{301}",
      String(repeating: "x", count: 60_000), "",
    ]
    var image = ImageBuilder()
    image.namesSize = 1 << 18
    image.program = "\u{1B}[31mred"
    for (index, label) in hostile.enumerated() {
      let id = UInt64(index + 1)
      image.queue(id, label)
      image.thread(UInt32(id), label)
      image.object(100 + id, .lock, label)
      image.text(id, label)
      image.event(id * 10, UInt32(id), .itemSubmitted, id, 64)
      image.event(id * 10 + 2, UInt32(id), .itemStarted, id, 64)
      image.event(id * 10 + 3, UInt32(id), .waitBegan, 100 + id, a: 8, b: 1)
      image.event(id * 10 + 5, UInt32(id), .mark, 0, id)
    }
    let text = PlainText(try image.trace()).all
    for scalar in text.unicodeScalars where scalar != "\n" {
      #expect(scalar.properties.generalCategory != .control)
      #expect(scalar == "\u{200D}" || scalar.properties.generalCategory != .format)
    }
    // Wide characters take two columns.
    for line in text.split(separator: "\n") {
      let wide = line.unicodeScalars.count { $0 == "画" }
      #expect(line.count + wide <= 80, "\(line)")
    }
    #expect(text.contains("\\u{1b}[2J\\u{1b}]0;owned\\u{7}"))
  }

  @Test func aShortStoryIsDrawn() throws {
    var image = ImageBuilder()
    image.queue(7, "log")
    image.thread(1, "main", .main)
    image.thread(2, "worker")
    image.object(5, .semaphore, "slots")
    image.event(0, 1, .itemSubmitted, 7, 64)
    image.event(185, 2, .itemStarted, 7, 64)
    image.event(200, 1, .itemSubmitted, 7, 128)
    image.event(370, 2, .waitBegan, 5, a: 1)
    image.event(500, 1, .semaphoreSignalled, 5)
    image.event(555, 2, .waitEnded, 5)
    image.event(600, 2, .itemFinished, 7, 64)
    image.event(610, 2, .itemStarted, 7, 128)
    image.event(740, 2, .itemFinished, 7, 128)
    let text = PlainText(try image.trace())
    #expect(
      text.lanes == """
        LANES                                                                0 to 740 ns
        log (serial)
          A   +·················[==================~~~~~~~~~~~~~~~~~~~====]
          B                       +········································[===========]
        + submitted  · waiting  [ started  = running  ~ blocked  ] finished

        """)
    #expect(
      text.events == """
        EVENTS
                 0  main             submits A to log
            185 ns  worker           starts A of log
            200 ns  main             submits B to log
            370 ns  worker           waits for a signal of the semaphore "slots"
            555 ns  worker           goes on, woken by main
            600 ns  worker           finishes A
            610 ns  worker           starts B of log
            740 ns  worker           finishes B

        """)
    // The summary does not draw what is too long to read.
    #expect(PlainText(try busy().trace()).lanes == nil)
    #expect(PlainText(try busy().trace()).events == nil)
  }
}
