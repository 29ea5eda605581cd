// RepeatedCaptureTests — recordings that late items write again and again, and the names of their
// files.

import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RepeatedCaptureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String], _ environment: [String: String]) throws {
    let outcome = try ChildProgram("TraceFacts").run(
      ["late-repeatedly", folder.path] + arguments,
      environment: ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 })
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.standardError == "")
  }

  private func recordings() throws -> [TraceRecording] {
    try files(in: folder.path).sorted().map {
      try TraceRecording(try bytes(of: "\(folder.path)/\($0)"))
    }
  }

  @Test func lateItemsWriteAsManyFilesAsAskedFor() throws {
    try run(
      ["3"],
      [
        "SIGNALBOX_TRACE": "\(folder.path)/100%%-%p-%t.sbtrace",
        "SIGNALBOX_TRACE_WHEN": "wait>1ms", "SIGNALBOX_TRACE_REPEAT": "1us,3",
      ])
    let all = try recordings()
    #expect(all.map(\.header.cause) == [.condition, .condition, .condition])
    // In the order of their names.
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.header.written < $1.header.written })
    let process = all[0].header.processID
    #expect(files(in: folder.path).allSatisfy { $0.hasPrefix("100%-\(process)-2") })
  }

  /// The file for the signal is written after what the late items asked for.
  @Test func anotherFileIsWrittenOnlyAfterThePause() throws {
    try run(
      ["1", "USR1"],
      [
        "SIGNALBOX_TRACE": folder.path, "SIGNALBOX_TRACE_WHEN": "wait>1ms,USR1",
        "SIGNALBOX_TRACE_REPEAT": "3600s",
      ])
    let all = try recordings()
    #expect(all.map(\.header.cause) == [.condition, .signal])
    #expect(files(in: folder.path).allSatisfy { $0.hasPrefix("TraceFacts-") })
  }

  @Test func theRateLimitCountsFromTheEndOfACapture() {
    var rate = CaptureRate(pause: 100, most: 3)
    // When a capture would begin, and whether one does; each lasts 50 ns.
    let begins = ([0, 149, 150, 299, 300] as [UInt64]).map { time in
      let begins = rate.begin(at: time)
      let next = begins ? rate.end(at: time + 50) : time + 150
      #expect(next == time + 150)
      return begins
    }
    #expect(begins == [true, false, true, false, true])
    let afterThree = rate.begin(at: .max)
    #expect(rate.isOver && !afterThree)
    var once = CaptureRate.once
    let first = once.begin(at: 0)
    let second = once.begin(at: .max)
    #expect(first && !second && once.isOver)
  }

  @Test func aNameHasTheProcessAndTheTime() throws {
    let time = WallTime(nanoseconds: 1_795_197_600_123_456_789)
    let name = try #require(RecordingName("%t/%%t-%p.%p.html%t", process: 42))
    #expect(
      name.path(at: time)
        == "20261120T180000.123456Z/%t-42.42.html20261120T180000.123456Z")
    #expect(name.hasTime)
    let plain = try #require(RecordingName("%%t é.html", process: 42))
    #expect(plain.path(at: time) == "%t é.html" && !plain.hasTime)
    for wrong in ["%", "a%", "%P", "100% sure", "%%%"] {
      #expect(RecordingName(wrong, process: 42) == nil, "\(wrong)")
    }
  }
}
