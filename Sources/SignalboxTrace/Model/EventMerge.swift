// EventMerge — merges the events of all threads into one sequence in time.
//
// It keeps a heap of threads, ordered by the time of each one's next event. At
// equal times, an event that makes another possible (a submission, a wake) comes
// before the events that it makes possible; after that, the thread with the lower
// index comes first. The clock of a thread never goes back here: an event that a
// signal handler recorded within another event gets the time of the one before it.
//
// Rejected     sorting all events by time: events of one thread at the same time
//              would need their index as well, and it was slower.

import SignalboxDiagnostics
import SignalboxRuntime

struct EventMerge: ~Copyable {
  /// The events of one thread.
  struct Lane {
    let thread: UInt32
    /// Its chunks, without empty ones.
    let chunks: Range<Int>
    fileprivate var chunk: Int
    fileprivate var next: Int
    fileprivate var end: Int
  }

  /// A thread's next event.
  private struct Upcoming: HeapEntry {
    let time: UInt64
    let rank: UInt8
    let lane: Int32

    static func < (a: Upcoming, b: Upcoming) -> Bool {
      if a.time != b.time { return a.time < b.time }
      if a.rank != b.rank { return a.rank < b.rank }
      return a.lane < b.lane
    }
  }

  /// The next event in the sequence.
  struct Step {
    let lane: Int
    let event: Int
    let time: UInt64
    /// How many events this thread lost just before this one.
    let lost: UInt64
  }

  private(set) var lanes: [Lane] = []
  /// The largest time by which a thread's event was earlier than the event
  /// before it.
  private(set) var greatestStepBack: UInt64 = 0
  private let chunks: [TraceChunk]
  private let events: [TraceEvent]
  private var heap = Heap<Upcoming>()

  init(_ recording: TraceRecording) {
    events = recording.events
    chunks = EventMerge.withoutEmpty(recording.chunks)
    var first = 0
    while first < chunks.count {
      var last = first + 1
      while last < chunks.count && chunks[last].thread == chunks[first].thread { last += 1 }
      let events = chunks[first].events
      let event = self.events[events.lowerBound]
      heap.insert(Upcoming(time: event.time, rank: event.kind.rank, lane: Int32(lanes.count)))
      lanes.append(
        Lane(
          thread: event.thread, chunks: first..<last, chunk: first, next: events.lowerBound,
          end: events.upperBound))
      first = last
    }
  }

  /// Drops empty chunks. The thread's next chunk takes over their count of lost
  /// events.
  private static func withoutEmpty(_ chunks: [TraceChunk]) -> [TraceChunk] {
    var kept: [TraceChunk] = []
    var (thread, carried): (UInt32, UInt64) = (0, 0)
    for var chunk in chunks {
      if chunk.thread != thread { (thread, carried) = (chunk.thread, 0) }
      chunk.lostBefore = chunk.lostBefore.addingOrMax(carried)
      carried = chunk.events.isEmpty ? chunk.lostBefore : 0
      if !chunk.events.isEmpty { kept.append(chunk) }
    }
    return kept
  }

  /// The spans in which a thread lost events: from the event before the loss,
  /// or the beginning of time, to the event after it.
  var gapTimes: [ClosedRange<UInt64>] {
    var gapTimes: [ClosedRange<UInt64>] = []
    for lane in lanes {
      var before: UInt64 = 0
      for chunk in chunks[lane.chunks] {
        if chunk.lostBefore > 0 {
          gapTimes.append(before...max(before, events[chunk.events.lowerBound].time))
        }
        before = events[chunk.events.upperBound - 1].time
      }
    }
    return gapTimes
  }

  mutating func next() -> Step? {
    guard let top = heap.first else { return nil }
    let lane = lanes[Int(top.lane)]
    let chunk = chunks[lane.chunk]
    let step = Step(
      lane: Int(top.lane), event: lane.next, time: top.time,
      lost: lane.next == chunk.events.lowerBound ? chunk.lostBefore : 0)
    if let next = advance(top) { heap.replaceFirst(with: next) } else { heap.remove(at: 0) }
    return step
  }

  /// Moves to the thread's next event. Returns nil if there is none.
  private mutating func advance(_ now: Upcoming) -> Upcoming? {
    var lane = lanes[Int(now.lane)]
    lane.next += 1
    if lane.next == lane.end {
      lane.chunk += 1
      guard lane.chunk < lane.chunks.upperBound else { return nil }
      let events = chunks[lane.chunk].events
      lane.next = events.lowerBound
      lane.end = events.upperBound
    }
    lanes[Int(now.lane)] = lane
    let event = events[lane.next]
    if event.time < now.time { greatestStepBack = max(greatestStepBack, now.time - event.time) }
    return Upcoming(time: max(now.time, event.time), rank: event.kind.rank, lane: now.lane)
  }
}

extension EventKind {
  /// 0 if the event makes another event possible.
  fileprivate var rank: UInt8 {
    switch self {
    case .itemSubmitted, .wake, .workerWoken, .semaphoreSignalled, .groupLeft, .lockLeft: 0
    default: 1
    }
  }
}

extension UInt64 {
  /// The sum, or the maximum on overflow.
  func addingOrMax(_ other: UInt64) -> UInt64 {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? .max : sum
  }
}
