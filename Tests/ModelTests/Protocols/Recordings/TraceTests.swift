// Trace — the model of a chunk's count, `SignalboxDiagnostics/Recorder/TraceThread.swift`: one
// thread writes events, another copies the counted ones.

import Testing

enum TraceSite: Site {
  /// An event is counted; the copying thread reads the count.
  case count, copy

  var access: Access { self == .count ? .store : .load }

  var ordering: Ordering { access == .store ? .release : .acquire }

  var operations: [String] {
    switch self {
    case .count: ["Recorder/TraceThread.store:TR1"]
    case .copy:
      ["Recorder/TraceThread.publishedCount:TR1", "CSignalbox/tracefile.put_chunk:TR1"]
    }
  }
}

@Suite struct TraceTests {
  private var copy: Scenario<TraceSite> {
    Scenario("a chunk is copied while it is written") { p, orderings in
      let count = p.atomic("count")
      let events = p.plains("events", count: 2)
      p.thread("writer") { t in
        for event in 0..<2 {
          try t.write(1, to: events[event])
          try t.store(event + 1, to: count, orderings[.count])
        }
      }
      p.thread("copier") { t in
        let there = try t.load(count, orderings[.copy])
        for event in 0..<there {
          try t.require(try t.read(events[event]) == 1, "an event is counted and not written")
        }
      }
    }
  }

  @Test func countedEventsAreComplete() { expectHolds([copy]) }

  @Test func bothOrderingsOfTheCountAreNeeded() { expectEachWeakeningFails([copy]) }
}
