// RecordedStormTests — what holds for every recording, however its threads interleaved.

import Glibc
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RecordedStormTests {
  @Test func eachItemIsSubmittedStartedAndFinishedOnce() throws {
    var random = SeededGenerator.announced()
    let run = try Recorded("storm", [String(random.next() >> 1)])
    #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    #expect(run.recording.header.eventsLost == 0)
    let kinds: Set<EventKind> = [.itemSubmitted, .itemStarted, .itemFinished]
    let events = run.recording.events.filter { kinds.contains($0.kind) }
    let count = { (kind: EventKind) in events.count { $0.kind == kind } }
    // An address belongs to another item once the first item has started: in the order of time,
    // the items at one address are submitted and started alternately.
    var places: [UInt64: [TraceEvent]] = [:]
    for event in events where event.kind != .itemFinished {
      places[event.detail, default: []].append(event)
    }
    for steps in places.values {
      let kinds = steps.sorted { $0.time < $1.time }.map(\.kind)
      #expect(kinds.count % 2 == 0)
      for (index, kind) in kinds.enumerated() {
        #expect(kind == (index % 2 == 0 ? .itemSubmitted : .itemStarted), "\(steps)")
      }
    }
    // On a thread, the item that started last ends first.
    var stacks: [UInt32: [TraceEvent]] = [:]
    for event in events where event.kind != .itemSubmitted {
      if event.kind == .itemStarted {
        stacks[event.thread, default: []].append(event)
        continue
      }
      let started = stacks[event.thread]?.popLast()
      #expect(started?.detail == event.detail && started?.object == event.object, "\(event)")
    }
    // The program ends when its groups are empty. A worker may then still be returning from its
    // last item and from the drain tasks around it.
    let underWay = stacks.values.reduce(0) { $0 + $1.count }
    let (started, finished) = (count(.itemStarted), count(.itemFinished))
    #expect(started == finished + underWay && underWay < 40)
    #expect(started == count(.itemSubmitted))
    let work = events.count {
      $0.kind == .itemSubmitted && !TraceItemFlags(rawValue: $0.flags).contains(.drainTask)
    }
    #expect(String(work) == run.outcome.facts["submitted"])
    #expect(run.events(.syncEntered).count == run.events(.syncLeft).count)
    expectMonotone(run)
  }

  /// On each thread no event is earlier than the previous one.
  private func expectMonotone(_ run: Recorded) {
    var last: [UInt32: UInt64] = [:]
    for event in run.recording.events {
      #expect(event.time >= last[event.thread, default: 0], "\(event)")
      last[event.thread] = event.time
    }
  }

  // MARK: Memory

  /// The number of events in a chunk.
  private var room: Int { (16384 - 32) / 32 }

  @Test func overwrittenEventsAreCountedExactly() throws {
    for count in [1, room - 1, room, room + 1, 3 * room, 3 * room + 7] {
      let run = try Recorded(writtenBy: "marks", [String(count)])
      let marks = run.marks()
      let lost = run.recording.header.eventsLost
      #expect(UInt64(marks.count) + lost == UInt64(count))
      // The last events are there, and the recording shows the loss where it occurred.
      #expect(marks.last == "mark \(count - 1)")
      #expect(run.recording.chunks.reduce(0) { $0 + $1.lostBefore } == lost)
    }
  }

  @Test func theMemoryOfThreadsThatHaveEndedIsUsedAgain() throws {
    let run = try Recorded(writtenBy: "threads-in-turn", ["1000"])
    let marks = run.marks()
    // The main thread has at most one chunk open.
    #expect(marks.count >= 7)
    #expect(UInt64(marks.count) + run.recording.header.eventsLost == 1000)
  }

  @Test func threadsBeyondTheMemoryLoseTheirEventsAndContinue() throws {
    let run = try Recorded(writtenBy: "too-many-threads")
    let marks = run.marks()
    #expect(marks.count >= 400)
    #expect(UInt64(marks.count) + run.recording.header.eventsLost == 1200)
  }

  @Test func isRecordingIsTrueDuringARecording() throws {
    let facts = try ChildProgram("TraceFacts").run(["started-and-stopped", "2000"]).facts
    #expect(facts["wrong"] == "0", "\(facts)")
  }

  /// A step that began before the recording belongs to no recording.
  @Test func aRecordingMayBeginInTheMiddleOfSteps() throws {
    let outcome = try ChildProgram("TraceFacts").run(["begun-meanwhile", "100"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
  }

  @Test func aCopyDuringWritesIsComplete() throws {
    let outcome = try ChildProgram("TraceFacts").run(["copies"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(Int(outcome.facts["events"] ?? "") ?? 0 > 0)
  }

  /// If a copy lost what a thread did between the copy of its chunk and its next chunk, events
  /// would be missing in the middle: items would run forever, and waits would end for no
  /// reason.
  @Test func noEventsAreMissingInTheMiddleOfACopy() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/copy"
    // One memory is overwritten all the time, the others are not.
    for memory in [64 << 10, 2 << 20, 8 << 20] {
      let outcome = try ChildProgram("TraceFacts").run(["copies-in-order", path, String(memory)])
      #expect(outcome.exit == .code(0), "\(outcome.standardError)")
      for copy in 0..<5 {
        let recording = try TraceRecording(try bytes(of: "\(path).\(copy).sbtrace"))
        #expect(recording.events.count > 100)
        #expect(firstGap(recording) == nil, "copy \(copy) of \(memory) bytes")
        #expect(recording.events.allSatisfy { $0.time <= recording.header.written })
      }
    }
  }

  @Test func noEventsAreMissingInTheMiddleAfterACrash() throws {
    let run = try Recorded("crash-in-order")
    #expect(run.outcome.exit == .signal(SIGABRT), "\(run.outcome)")
    #expect(run.recording.events.count > 100_000)
    #expect(firstGap(run.recording) == nil)
  }

  /// Returns where a thread's numbered steps are not consecutive, except for lost ones.
  private func firstGap(_ recording: TraceRecording) -> String? {
    var last: [UInt32: UInt64] = [:]
    for chunk in recording.chunks {
      var lost = chunk.lostBefore
      for event in recording.events[chunk.events] where event.kind == .loopBegan {
        if let before = last[event.thread], event.detail != before + 1 + lost {
          return "thread \(event.thread): \(event.detail) after \(before), with \(lost) lost"
        }
        last[event.thread] = event.detail
        lost = 0
      }
    }
    return nil
  }

  @Test func aWaitThatBeganInAnotherRecordingIsNotRecorded() throws {
    let run = try Recorded(writtenBy: "wait-across")
    #expect(run.marks() == ["begun again"])
    #expect(run.events(.waitEnded).isEmpty)
  }

  @Test func anEarlierDrainTaskIsNotAnItemOfTheTarget() throws {
    let run = try Recorded(writtenBy: "scheduled-before")
    let trace = TraceModel(run.recording)
    #expect(run.events(.itemStarted, try run.queue("memory.target")).count == 1)
    #expect(trace.items.queue.map { trace.queueName($0) } == ["memory.queue"])
  }

  @Test func aTargetSetAfterTheFirstItemIsRecorded() throws {
    let run = try Recorded(writtenBy: "target-later")
    let trace = TraceModel(run.recording)
    let queue = try #require(trace.queues.first { trace.string($0.label) == "memory.queue" })
    #expect(trace.queueName(queue.target) == "memory.target")
  }

  @Test func thousandsOfUnnamedQueuesAreCountedAndDistinguished() throws {
    let count = 40_000
    let run = try Recorded(
      "many-queues", [String(count)],
      ["SIGNALBOX_TRACE_SIZE": "5M", "SIGNALBOX_TRACE_KINDS": "syncs"])
    #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    let header = run.recording.header
    let names = run.recording.names.filter { $0.subject == .queue }
    #expect(header.eventsLost == 0 && header.namesLost > 0 && names.count > 1000)
    #expect(UInt64(names.count) + header.namesLost >= UInt64(count))
    for (index, name) in names.enumerated() { #expect(name.text == "memory.queue.\(index)") }
    let trace = TraceModel(run.recording)
    #expect(trace.items.count == count && Set(trace.items.queue).count == count)
    #expect(trace.queueName(trace.items.queue[count - 1]).hasSuffix(" (name lost)"))
    #expect(
      PlainText(trace).summary.contains(
        "\(header.namesLost) names were lost; a larger SIGNALBOX_TRACE_SIZE keeps more"))
  }

  @Test func roomForNamesGrowsWithTheRequestedSize() throws {
    let count = 40_000
    let run = try Recorded(
      "many-queues", [String(count)],
      ["SIGNALBOX_TRACE_SIZE": "32M", "SIGNALBOX_TRACE_KINDS": "syncs"])
    #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    #expect(run.recording.header.namesLost == 0)
    #expect(run.recording.names.count { $0.subject == .queue } >= count)
  }

  @Test func namesOfFreedObjectsAreReplaced() throws {
    let run = try Recorded(writtenBy: "queues-in-turn", ["20000"])
    let (header, names) = (run.recording.header, run.recording.names)
    #expect(header.eventsLost > 0 && header.namesLost == 0)
    let trace = TraceModel(run.recording)
    #expect(trace.queues.count { !$0.isNamed } == 0)
    #expect(names.contains { $0.text == "memory.queue.19999" })
    #expect(!names.contains { $0.text == "memory.queue.0" })
    // Neither an existing queue nor its target has lost its name.
    let last = try #require(trace.items.queue.last)
    #expect(trace.queueName(last) == "memory.lasting")
    #expect(trace.queueName(trace.queues[Int(last)].target) == "memory.target")
    // The reasons of waits, and the remaining marks.
    #expect(names.contains { $0.subject == .text && $0.id == 1 })
    let marks = run.marks()
    #expect(marks.count == run.events(.mark).count && marks.last == "of thread 19900")
    #expect(!names.contains { $0.text == "of thread 0" }, "\(names.count)")
  }

  @Test func aRecordingOfAnySizeTakesOnlyTheMemoryItUses() throws {
    let peaks: [Int] = try ["16M", "1024G"].map { size in
      let run = try Recorded("many-queues", ["1"], ["SIGNALBOX_TRACE_SIZE": size])
      #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
      #expect(run.recording.events.count { $0.kind == .syncEntered } == 1)
      return try #require(Int(run.outcome.facts["peak"] ?? ""))
    }
    // In KiB. A table with an entry for each chunk once took 1.6 GiB.
    #expect(peaks[1] < peaks[0] + 16 << 10, "\(peaks)")
  }

  @Test func manyTimersDoNotDisplaceNames() throws {
    let run = try Recorded("many-timers")
    #expect(run.outcome.exit == .code(0), "\(run.outcome)")
    #expect(run.events(.timerFired).count >= 30_000 || run.recording.header.eventsLost > 0)
    #expect(run.recording.header.namesLost == 0)
    _ = try run.queue("memory.late")
  }

  @Test func eachRecordingNamesItsQueuesAgain() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/again"
    let outcome = try ChildProgram("TraceFacts").run(["again", path])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["twice"]?.contains("a recording is under way") == true)
    for round in 0..<3 {
      let recording = try TraceRecording(try bytes(of: "\(path).\(round).sbtrace"))
      let queues = recording.names.filter { $0.subject == .queue }
      #expect(queues.map(\.text) == ["memory.again"])
      let entered = recording.events.filter { $0.kind == .syncEntered }
      #expect(entered.map(\.object) == queues.map(\.id), "one while it was on, and none after")
    }
  }
}
