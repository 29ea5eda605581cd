// TraceModelPairingTests — which events belong together, compared with programs that know what
// they did.

import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct TraceModelPairingTests {
  /// An item as its events show it; unknown parts are nil.
  private struct Row: Hashable {
    var queue: String
    var submitted: UInt64?
    var started: UInt64?
    var finished: UInt64?
    var submitter: UInt32
    var runner: UInt32
    var flags: UInt8
    var switches: UInt16
    var preempted: UInt32
  }

  private func row(_ item: MadeUpProgram.Item) -> Row {
    Row(
      queue: "queue.\(item.queue - 100)", submitted: item.submitted, started: item.started,
      finished: item.finished, submitter: item.submitter, runner: item.runner,
      flags: item.flags | (item.isSync ? 16 : 0), switches: item.switches,
      preempted: item.preempted)
  }

  private func row(_ trace: TraceModel, _ index: Int) -> Row {
    func time(_ time: TraceModel.Time) -> UInt64? {
      time < 0 ? nil : UInt64(time) + trace.meta.beganMonotonic
    }
    func number(_ thread: TraceModel.Index) -> UInt32 {
      thread < 0 ? 0 : trace.threads[Int(thread)].number
    }
    let items = trace.items
    return Row(
      queue: trace.strings[Int(trace.queues[Int(items.queue[index])].label)],
      submitted: time(items.submitted[index]), started: time(items.started[index]),
      finished: time(items.finished[index]), submitter: number(items.submitter[index]),
      runner: number(items.runner[index]), flags: items.flags[index].rawValue,
      switches: items.switches[index], preempted: items.preempted[index])
  }

  @Test func everyItemMatchesTheProgram() throws {
    var generator = SeededGenerator.announced()
    for round in 0..<20 {
      let program = MadeUpProgram(
        threads: 1 + round % 7, queues: 1 + round % 5, steps: 1200,
        generator: generator.split())
      let trace = try program.image(chunkSize: 32 + 32 * (1 + round % 40)).trace()
      #expect(trace.meta.notes.isEmpty && trace.gaps.count == 0)
      #expect(trace.items.count == program.items.count)
      let told = (0..<trace.items.count).map { row(trace, $0) }
      #expect(Set(told) == Set(program.items.map { row($0) }), "round \(round)")
      // The item within which it was submitted, as far as that is known.
      let places = Dictionary(uniqueKeysWithValues: told.enumerated().map { ($1, $0) })
      for item in program.items {
        let within = trace.items.within[places[row(item)]!]
        #expect(
          item.within.map { row(program.items[$0]) } == (within < 0 ? nil : told[Int(within)]))
      }
    }
  }

  @Test func everyWaitIsRecordedWithItsWaker() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<15 {
      let program = MadeUpProgram(
        threads: 5, queues: 2, steps: 1500, generator: generator.split())
      let trace = try program.image().trace()
      #expect(trace.waits.count == program.waits.count)
      let base = trace.meta.beganMonotonic
      for (index, wait) in program.waits.enumerated() {
        // Both lists are in the order of their begins.
        #expect(UInt64(trace.waits.began[index]) + base == wait.began)
        #expect(
          (trace.waits.ended[index] < 0 ? nil : UInt64(trace.waits.ended[index]) + base)
            == wait.ended)
        #expect(trace.threads[Int(trace.waits.thread[index])].number == wait.thread)
        #expect((trace.waits.item[index] >= 0) == (wait.within != nil))
        guard let ended = wait.ended else { continue }
        // The slow way: looks at all events before the end, the last first.
        let signal = program.events.last {
          $0.kind == .semaphoreSignalled && $0.object == wait.object && $0.time < ended
        }
        let isIn = signal.map { $0.time >= wait.began } ?? false
        let waker = trace.waits.waker[index]
        #expect(
          (waker < 0 ? nil : trace.threads[Int(waker)].number) == (isIn ? signal!.thread : nil))
      }
    }
  }

  @Test func nothingIsInventedIfEventsWereLost() throws {
    var generator = SeededGenerator.announced()
    var (certain, likely, cut) = (0, 0, 0)
    for round in 0..<20 {
      let program = MadeUpProgram(
        threads: 2 + round % 4, queues: 1 + round % 3, steps: 1500,
        generator: generator.split())
      // Loses runs of one thread's events.
      var lost: Set<Int> = []
      for _ in 0..<(1 + round % 5) {
        let thread = UInt32.random(in: 1...UInt32(program.threadCount), using: &generator)
        let places = program.events.indices.filter { program.events[$0].thread == thread }
        guard let first = places.indices.randomElement(using: &generator) else { continue }
        let count = Int.random(in: 1...40, using: &generator)
        // Keeps the thread's last event, because that one reports the loss before it.
        lost.formUnion(places[first..<max(first, min(places.count - 1, first + count))])
      }
      let trace = try program.image { lost.contains($0) }.trace()
      let truth = program.items.map { row($0) }
      let submissions = Dictionary(grouping: truth) { $0.submitted }
      let starts = Dictionary(grouping: truth) { $0.started }
      for index in 0..<trace.items.count {
        let told = row(trace, index)
        let flags = trace.items.flags[index]
        // All times differ, so an event's time identifies its item.
        let bySubmission = told.submitted.flatMap { submissions[$0]?.first }
        let byStart = told.started.flatMap { starts[$0]?.first }
        #expect(told.submitted == nil || bySubmission?.submitter == told.submitter)
        #expect(told.started == nil || byStart?.runner == told.runner)
        if told.submitted != nil && told.started != nil {
          if flags.contains(.isLikely) {
            likely += 1
          } else {
            #expect(bySubmission == byStart)
            certain += 1
          }
        }
        if let finished = told.finished {
          #expect(byStart?.finished == finished)
        } else if let finished = byStart?.finished {
          // The item's end is not recorded, and the trace knows that it may have ended.
          #expect(flags.contains(.isTruncated), "ended at \(finished)")
          cut += 1
        }
        if told.started == nil, bySubmission?.started != nil {
          #expect(flags.contains(.isTruncated))
        }
      }
      // The trace contains every recorded start of an item.
      let kept = program.events.enumerated().filter { !lost.contains($0.offset) }.map(\.element)
      let startsKept = kept.count { $0.kind == .itemStarted || $0.kind == .syncEntered }
      #expect(trace.items.started.count { $0 >= 0 } == startsKept)
      let base = trace.meta.beganMonotonic
      let submissionsKept = kept.count {
        // A `sync` may have been called before the first event.
        $0.kind == .itemSubmitted || $0.kind == .syncEntered && $0.detail >= base
      }
      #expect(trace.items.submitted.count { $0 >= 0 } == submissionsKept)
      let waits = Set(program.waits.map { [$0.began, $0.ended ?? 0] })
      for index in 0..<trace.waits.count {
        let ended = trace.waits.ended[index]
        let pair = [UInt64(trace.waits.began[index]) + base, ended < 0 ? 0 : UInt64(ended) + base]
        // A wait that lasts to the end may have ended where the last events were lost.
        #expect(waits.contains(pair))
      }
    }
    #expect(certain > 1000 && likely > 10 && cut > 5)
  }

  /// The events that a thread lost before its first existing event are unknown.
  @Test func eventsLostAtTheBeginningMakePairsLikely() throws {
    for (lost, isLikely) in [(UInt64(0), false), (2, true)] {
      var image = ImageBuilder()
      image.eventsLost = lost
      image.event(1, 1, .itemSubmitted, 100, 64)
      // Thread 2 may have started it and submitted another item at the same address.
      image.event(8, 1, .itemStarted, 100, 64)
      image.event(9, 2, .itemFinished, 100, 64, lost: lost)
      image.event(10, 1, .itemSubmitted, 100, 128)
      image.event(11, 1, .itemStarted, 100, 128)
      let trace = try image.trace()
      #expect(trace.items.flags.map { $0.contains(.isLikely) } == [isLikely, false])
    }
  }

  /// An item's memory is free before its closure runs: within it, and on other threads, other
  /// items of the same queue may have its address.
  @Test func anAddressMayBeReusedWhileItsItemRuns() throws {
    var image = ImageBuilder()
    image.event(1, 1, .itemSubmitted, 100, 64)
    image.event(2, 2, .itemStarted, 100, 64)
    image.event(3, 2, .itemSubmitted, 100, 64)
    image.event(4, 2, .itemStarted, 100, 64)
    image.event(5, 2, .itemSubmitted, 100, 64)
    image.event(6, 3, .itemStarted, 100, 64)
    image.event(7, 2, .itemFinished, 100, 64, a: 1)
    image.event(8, 2, .itemFinished, 100, 64, a: 2)
    image.event(9, 3, .itemFinished, 100, 64, a: 3)
    let trace = try image.trace()
    #expect(trace.meta.notes.isEmpty)
    let items = trace.items
    let base = items.submitted[0] - 1
    #expect(items.submitted.map { $0 - base } == [1, 3, 5])
    #expect(items.started.map { $0 - base } == [2, 4, 6])
    #expect(items.finished.map { $0 - base } == [8, 7, 9])
    #expect(items.switches == [2, 1, 3])
    #expect(items.within == [-1, 0, 1])
    #expect(items.flags == [[], [], []])
  }

  @Test func openSpansMayHaveEndedIfTheLastEventsAreLost() throws {
    var image = ImageBuilder()
    image.event(1, 1, .itemSubmitted, 100, 64)
    image.event(2, 1, .itemSubmitted, 100, 128)
    image.event(3, 2, .itemStarted, 100, 64)
    #expect(try image.trace().items.flags == [[], []])
    image.eventsLost = 1
    let trace = try image.trace()
    #expect(trace.items.flags == [.isTruncated, .isTruncated])
    // The loss that a chunk reports is not another loss: the thread's next event exists.
    image.event(9, 3, .workerParked, lost: 1)
    #expect(try image.trace().items.flags == [.isLikely, .isTruncated])
  }
}
