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

struct EventMerge: ~Copyable {
  /// The events of one thread.
  struct Lane {
    let thread: UInt32
    /// Its chunks, without empty ones.
    let chunks: Range<Int>
    fileprivate var chunk: Int
    fileprivate var next: Int
    fileprivate var end: Int
    fileprivate var time: UInt64
    fileprivate var rank: UInt8
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
  /// The most by which a thread's event was earlier than the one before it.
  private(set) var greatestStepBack: UInt64 = 0
  private let chunks: [TraceChunk]
  private let events: [TraceEvent]
  private var heap: [Int32] = []

  init(_ recording: TraceRecording) {
    events = recording.events
    chunks = EventMerge.withoutEmpty(recording.chunks)
    var first = 0
    while first < chunks.count {
      var last = first + 1
      while last < chunks.count && chunks[last].thread == chunks[first].thread { last += 1 }
      let events = chunks[first].events
      let event = self.events[events.lowerBound]
      lanes.append(
        Lane(
          thread: event.thread, chunks: first..<last, chunk: first, next: events.lowerBound,
          end: events.upperBound, time: event.time, rank: event.kind.rank))
      first = last
    }
    heap = lanes.indices.map { Int32($0) }
    for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(place) }
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
    let place = Int(top)
    let lane = lanes[place]
    let chunk = chunks[lane.chunk]
    let step = Step(
      lane: place, event: lane.next, time: lane.time,
      lost: lane.next == chunk.events.lowerBound ? chunk.lostBefore : 0)
    if advance(place) {
      sink(0)
    } else {
      let last = heap.removeLast()
      if !heap.isEmpty {
        heap[0] = last
        sink(0)
      }
    }
    return step
  }

  /// Moves to the thread's next event. Returns whether there is one.
  private mutating func advance(_ place: Int) -> Bool {
    var lane = lanes[place]
    lane.next += 1
    if lane.next == lane.end {
      lane.chunk += 1
      guard lane.chunk < lane.chunks.upperBound else { return false }
      let events = chunks[lane.chunk].events
      lane.next = events.lowerBound
      lane.end = events.upperBound
    }
    let event = events[lane.next]
    if event.time < lane.time {
      greatestStepBack = max(greatestStepBack, lane.time - event.time)
    } else {
      lane.time = event.time
    }
    lane.rank = event.kind.rank
    lanes[place] = lane
    return true
  }

  private func isBefore(_ one: Int32, _ other: Int32) -> Bool {
    let a = lanes[Int(one)]
    let b = lanes[Int(other)]
    if a.time != b.time { return a.time < b.time }
    if a.rank != b.rank { return a.rank < b.rank }
    return one < other
  }

  private mutating func sink(_ from: Int) {
    var place = from
    let moved = heap[from]
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count && isBefore(heap[child + 1], heap[child]) { child += 1 }
      guard isBefore(heap[child], moved) else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = moved
  }
}

extension TraceKind {
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
