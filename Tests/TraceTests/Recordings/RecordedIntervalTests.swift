// RecordedIntervalTests — the intervals of a program as its recording has them.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RecordedIntervalTests {
  @Test func intervalsNestAndHaveAnIdentityThatCrossesThreads() throws {
    let run = try Recorded("intervals")
    try #require(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    let trace = TraceModel(run.recording)
    let intervals = trace.intervals
    let names = (0..<intervals.count).map { trace.intervalName($0) }
    #expect(
      names == [
        "import", "decode: photo 1", "decode: photo 2", "store", "request: /first",
        "request: /second", "left open",
      ])
    #expect(intervals.within == [-1, 0, 0, -1, -1, -1, -1])
    #expect(intervals.flags.map { $0.contains(.isScoped) } == Array("ttttfff").map { $0 == "t" })
    #expect(Set(intervals.number).count == 7)
    // Those of the closure of `sync` began in an item.
    #expect(intervals.item.map { $0 >= 0 } == Array("fttffff").map { $0 == "t" })
    for inner in 1...2 {
      #expect(intervals.began[inner] >= intervals.began[0])
      #expect(intervals.ended[inner] <= intervals.ended[0])
    }
    #expect(intervals.ended.map { $0 >= 0 } == Array("ttttttf").map { $0 == "t" })
    #expect(trace.threads[Int(intervals.thread[4])].role == .main)
    #expect(trace.threads[Int(intervals.ender[4])].role == .worker)
    #expect(trace.threads[Int(intervals.ender[5])].role == .main)
    // The second end of one interval.
    #expect(
      trace.meta.notes == ["1 end was left out, because its beginning is not recorded"])
    // Intervals are not the program's marks.
    #expect(trace.marks.text.map { trace.string($0) } == ["decoding"])
    // A name is recorded once.
    #expect(run.recording.names.count { $0.subject == .text && $0.text == "decode" } == 1)
  }

  @Test func theRunOfAnItemWithANameIsAnInterval() throws {
    let run = try Recorded("named-items")
    try #require(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    let trace = TraceModel(run.recording)
    let intervals = trace.intervals
    #expect(
      (0..<intervals.count).map { trace.intervalName($0) }
        == ["draw: later", "store", "draw: alone", "here"])
    #expect(intervals.flags.allSatisfy { $0.contains(.isScoped) })
    #expect(intervals.ended.allSatisfy { $0 >= 0 })
    // The last one was performed without a queue.
    #expect(intervals.item.map { $0 >= 0 } == [true, true, true, false])
    #expect(trace.meta.notes.isEmpty)
  }

  @Test func anIntervalBelongsToTheRecordingInWhichItBegan() throws {
    let run = try Recorded(writtenBy: "intervals-of-two-recordings")
    let trace = TraceModel(run.recording)
    #expect((0..<trace.intervals.count).map { trace.intervalName($0) } == ["late"])
    #expect(trace.intervals.ended[0] >= 0)
    #expect(trace.meta.notes.isEmpty)
  }

  @Test func ofOverwrittenIntervalsTheOthersKeepTheirNames() throws {
    let run = try Recorded(writtenBy: "intervals-in-full-memory")
    let trace = TraceModel(run.recording)
    #expect(trace.meta.lostEvents > 190_000)
    #expect(trace.intervals.count > 500)
    let names = trace.intervals.name.map { trace.string($0) }
    #expect(names.dropLast().allSatisfy { $0 == "turn" } && names.last == "rare")
    for interval in 0..<trace.intervals.count {
      let details = trace.string(trace.intervals.details[interval])
      #expect(details.isEmpty || details.hasPrefix("turn ") && details.hasSuffix("0"))
    }
    #expect(trace.intervals.details.contains { $0 >= 0 })
  }
}
