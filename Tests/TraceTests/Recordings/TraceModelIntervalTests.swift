// TraceModelIntervalTests — how the two ends of intervals are paired, and what is shown of them.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct TraceModelIntervalTests {
  private let scoped = TraceMarkFlags.isScoped.rawValue

  private func begins(
    _ image: inout ImageBuilder, _ after: UInt64, _ thread: UInt32, _ number: UInt64,
    _ name: UInt64, details: UInt32 = 0, isScoped: Bool = true, lost: UInt64 = 0
  ) {
    image.event(
      after, thread, .mark, number, name,
      flags: TraceMarkFlags.begins.rawValue | (isScoped ? scoped : 0), b: details, lost: lost)
  }

  private func ends(
    _ image: inout ImageBuilder, _ after: UInt64, _ thread: UInt32, _ number: UInt64,
    _ name: UInt64, isScoped: Bool = true, lost: UInt64 = 0
  ) {
    image.event(
      after, thread, .mark, number, name,
      flags: TraceMarkFlags.ends.rawValue | (isScoped ? scoped : 0), lost: lost)
  }

  /// Two that nest, and one that begins within them and ends on another thread.
  private func sample() -> ImageBuilder {
    var image = ImageBuilder()
    image.thread(1, "main", .main, kernel: 4711)
    image.thread(2, "sb-1", .worker, kernel: 4712)
    image.text(300, "import")
    image.text(301, "decode")
    image.text(302, "photo \"<1>\"")
    image.queue(7, "intervals.queue")
    image.event(5, 1, .itemStarted, 7, 64)
    begins(&image, 10, 1, 1, 300)
    begins(&image, 20, 1, 2, 301, details: 302)
    begins(&image, 30, 1, 3, 300, isScoped: false)
    ends(&image, 40, 1, 2, 301)
    ends(&image, 50, 1, 1, 300)
    ends(&image, 60, 2, 3, 300, isScoped: false)
    image.event(70, 1, .itemFinished, 7, 64)
    return image
  }

  @Test func endsFindTheirBeginningsByIdentity() throws {
    let trace = try sample().trace()
    let intervals = trace.intervals
    #expect(intervals.number == [1, 2, 3])
    #expect(intervals.began == [10, 20, 30] && intervals.ended == [50, 40, 60])
    #expect(intervals.within == [-1, 0, 1] && intervals.item == [0, 0, 0])
    #expect(intervals.thread == [0, 0, 0] && intervals.ender == [0, 0, 1])
    #expect(intervals.details.map { trace.string($0) } == ["", "photo \"<1>\"", ""])
    #expect(trace.marks.count == 0 && trace.meta.notes.isEmpty)
  }

  @Test func whatIsOpenLastsUntilTheEnd() throws {
    var image = ImageBuilder()
    begins(&image, 10, 1, 1, 300)
    begins(&image, 20, 1, 2, 300, isScoped: false)
    let trace = try image.trace()
    #expect(trace.intervals.ended == [-1, -1])
    #expect(trace.intervals.flags == [.isScoped, []])
    #expect(trace.string(trace.intervals.name[0]) == "(text lost)")
  }

  /// An end after a loss still belongs to its beginning, because it has its number.
  @Test func afterALossAnEndThatIsThereCounts() throws {
    var image = ImageBuilder()
    image.text(300, "import")
    begins(&image, 10, 1, 1, 300)
    begins(&image, 20, 1, 2, 300)
    begins(&image, 25, 2, 3, 300, isScoped: false)
    begins(&image, 27, 2, 4, 300)
    begins(&image, 50, 1, 5, 300, lost: 4)
    ends(&image, 60, 1, 1, 300)
    let trace = try image.trace()
    #expect(trace.intervals.ended == [60, -1, -1, -1, -1])
    // The end of the second is among what was lost; that of the third may be, on any thread. The
    // fourth ends on its own thread, which lost nothing.
    #expect(
      trace.intervals.flags == [
        .isScoped, [.isScoped, .isTruncated], .isTruncated, .isScoped, .isScoped,
      ])
    // What was open before the loss may not be what is open after it.
    #expect(trace.intervals.within == [-1, 0, -1, -1, -1])
  }

  @Test func anEndAroundOthersEndsThem() throws {
    var image = ImageBuilder()
    begins(&image, 10, 1, 1, 300)
    begins(&image, 20, 1, 2, 300)
    ends(&image, 30, 1, 1, 300)
    begins(&image, 40, 1, 3, 300)
    ends(&image, 50, 1, 9, 300)
    let trace = try image.trace()
    #expect(trace.intervals.flags == [.isScoped, [.isScoped, .isTruncated], .isScoped])
    #expect(trace.intervals.within == [-1, 0, -1])
    #expect(trace.meta.notes == ["1 end was left out, because its beginning is not recorded"])
  }

  @Test func manyThatDoNotEndAreReadInTime() throws {
    let count = UInt64(60_000)
    var image = ImageBuilder()
    image.chunkSize = 1 << 23
    for index in 0..<count { begins(&image, index, 1, index % 1000, 300) }
    for index in 0..<count { ends(&image, count + index, 2, index, 300) }
    let trace = try image.trace()
    #expect(trace.intervals.count == Int(count))
    #expect(
      trace.meta.notes == [
        "\(count - 1000) ends were left out, because their beginnings are not recorded"
      ])
  }

  @Test func theListOfEventsAndTheSummaryHaveThem() throws {
    let trace = try sample().trace()
    let events = try #require(PlainText(trace).events)
    #expect(events.contains("20 ns  main "))
    #expect(events.contains("begins \"decode: photo \"<1>\"\""))
    #expect(events.contains("60 ns  sb-1") && events.contains("ends \"import\""))
    let summary = PlainText(trace).summary
    let rows = summary.split(separator: "\n").map(String.init)
    let title = try #require(rows.firstIndex { $0.hasPrefix("INTERVAL ") })
    // By the time that they took in all.
    #expect(rows[title + 1].hasPrefix("import ") && rows[title + 2].hasPrefix("decode "))
    #expect(
      rows[title + 1].split(separator: " ").dropFirst() == [
        "2", "30", "ns", "40", "ns", "40", "ns", "70", "ns",
      ])
  }
}
