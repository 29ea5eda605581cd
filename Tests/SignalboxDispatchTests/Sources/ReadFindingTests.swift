// ReadFindingTests — bytes, the end and another reader come between any two questions of a read
// source. The test plays the kernel.

@testable import SignalboxDispatch
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("What a read source finds", .guarded) struct ReadFindingTests {
  /// What happens just before a question is answered.
  private enum Event: CaseIterable {
    case nothing, arrival, taking, arrivalAndEnd, end
  }

  private static let questions = 4

  /// Tries every order of events before the first four questions, on a stream.
  private func withEveryOrder(_ body: (PlayedDescriptor) throws -> Void) throws {
    func extend(_ events: [Event]) throws {
      if events.count == Self.questions { return try body(PlayedDescriptor(events)) }
      for event in Event.allCases {
        // Nothing arrives after the end.
        let isOver = events.contains(.end) || events.contains(.arrivalAndEnd)
        if isOver && event != .nothing && event != .taking { continue }
        try extend(events + [event])
      }
    }
    try extend([])
  }

  /// A handler interprets 0 bytes as the end.
  @Test func openStreamIsNeverFoundEmptyByItsOnlyReader() throws {
    var orders = 0
    try withEveryOrder { stream in
      if stream.events.contains(.taking) { return }
      orders += 1
      let finding = ReadFinding(stream)
      #expect(finding != .empty, "\(stream.events)")
      #expect(finding != .end || stream.hasEnded, "\(stream.events)")
    }
    #expect(orders > 20)
  }

  /// The end comes after the last byte.
  @Test func endIsFoundWhereNoByteIsLeft() throws {
    var ends = 0
    try withEveryOrder { stream in
      guard ReadFinding(stream) == .end else { return }
      ends += 1
      #expect(stream.hasEnded && stream.bytes == 0, "\(stream.events)")
    }
    #expect(ends > 0)
  }

  @Test func bytesAreThoseOfTheLastAnswer() throws {
    var counts: Set<UInt> = []
    try withEveryOrder { stream in
      guard case .bytes(let count) = ReadFinding(stream) else { return }
      counts.insert(count)
      #expect(count > 0 && count == stream.lastAvailable, "\(stream.events)")
    }
    #expect(counts.count > 1)
  }

  /// Another reader takes the bytes. They must arrive again between two later questions before
  /// the descriptor counts as empty.
  @Test func streamWithAnotherReaderIsNotFoundEmptyAfterOneArrival() throws {
    var orders = 0
    try withEveryOrder { stream in
      let arrivals = stream.events.count { $0 == .arrival || $0 == .arrivalAndEnd }
      guard stream.events.contains(.taking), arrivals < 2 else { return }
      orders += 1
      #expect(ReadFinding(stream) != .empty, "\(stream.events)")
    }
    #expect(orders > 20)
  }

  /// After that the descriptor is watched again and reports what is left.
  @Test func withoutAnotherReaderNothingIsFound() throws {
    #expect(ReadFinding(PlayedDescriptor([])) == .nothing)
    #expect(ReadFinding(PlayedDescriptor([.arrival])) == .bytes(1))
    #expect(ReadFinding(PlayedDescriptor([.end])) == .end)
    #expect(ReadFinding(PlayedDescriptor([.arrivalAndEnd])) == .bytes(1))
    #expect(ReadFinding(PlayedDescriptor([.nothing, .arrival])) == .bytes(1))
    #expect(ReadFinding(PlayedDescriptor([.nothing, .arrival, .taking])) == .nothing)
  }

  @Test func emptyDatagramIsRecognized() {
    let socket = PlayedDescriptor([])
    socket.hasEmptyDatagram = true
    #expect(ReadFinding(socket) == .empty)
  }

  @Test func unknownCountCountsAsOneByte() {
    let listener = PlayedDescriptor([.arrival])
    listener.canCount = false
    #expect(ReadFinding(listener) == .bytes(1))
    #expect(listener.asked == 2)
    let idle = PlayedDescriptor([])
    idle.canCount = false
    #expect(ReadFinding(idle) == .nothing)
  }

  @Test func urgentByteCountsAsOne() {
    let socket = PlayedDescriptor([.arrival])
    socket.isAtUrgentByte = true
    #expect(ReadFinding(socket) == .bytes(1))
  }

  /// A kernel in which at most one thing happens before each question.
  private final class PlayedDescriptor: ReadableDescriptor {
    let events: [Event]
    private(set) var asked = 0
    private(set) var bytes = 0
    private(set) var hasEnded = false
    private(set) var lastAvailable: UInt = 0
    var hasEmptyDatagram = false
    var isAtUrgentByte = false
    var canCount = true

    init(_ events: [Event]) { self.events = events }

    private func pass() {
      defer { asked += 1 }
      guard asked < events.count else { return }
      switch events[asked] {
      case .nothing: break
      case .arrival: bytes += 1
      case .taking: bytes = 0
      case .arrivalAndEnd:
        bytes += 1
        hasEnded = true
      case .end: hasEnded = true
      }
    }

    var available: Int64 {
      pass()
      if !canCount { return -1 }
      let count = isAtUrgentByte ? 0 : bytes
      lastAvailable = UInt(count)
      return Int64(count)
    }

    var readiness: Readiness {
      pass()
      var readiness: Readiness = []
      if bytes > 0 || hasEnded || hasEmptyDatagram { readiness.insert(.readable) }
      if hasEnded { readiness.insert(.hangUp) }
      return readiness
    }
  }
}
