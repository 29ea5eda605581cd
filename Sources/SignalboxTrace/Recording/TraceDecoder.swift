// TraceDecoder — decodes the three parts of an image in order.

import SignalboxDiagnostics
import SignalboxRuntime

struct TraceDecoder {
  private let image: TraceImage
  private(set) var notes: [String] = []

  init(_ image: TraceImage) { self.image = image }

  // MARK: Header

  func header() throws(TraceImageError) -> TraceHeader {
    typealias Field = TraceLayout.Header
    guard image.begins(with: TraceLayout.magic) else {
      let isShort = image.count < TraceLayout.magic.count
      throw isShort ? wrong(.endsInHeader(size: image.count), 0) : wrong(.foreign, 0)
    }
    guard image.count >= TraceLayout.headerSize else {
      throw wrong(.endsInHeader(size: image.count), image.count)
    }
    let version = image.word(Field.version)
    guard version == TraceLayout.version else {
      throw wrong(.unknownVersion(version), Field.version)
    }
    let size = try number("the header's size", Field.headerSize) { $0 == TraceLayout.headerSize }
    let namesSize = try number("the size of the names", Field.namesSize) { $0 % 8 == 0 }
    let namesUsed = try number("the names' size in use", Field.namesUsed) { $0 <= namesSize }
    let chunkSize = try number("a chunk's size", Field.chunkSize) {
      let events = $0 - TraceLayout.chunkHeaderSize
      return events > 0 && events % TraceLayout.eventSize == 0 && $0 <= TraceLayout.largestChunk
    }
    let chunkCount = try number("the number of chunks", Field.chunkCount) { _ in true }
    let began = image.double(Field.began)
    guard began < TraceLayout.longest else {
      throw wrong(.impossible(field: "the beginning", value: began), Field.began)
    }
    guard let cause = TraceHeader.Cause(rawValue: image.word(Field.cause)) else {
      throw wrong(.unknownCause(image.word(Field.cause)), Field.cause)
    }
    let written = image.double(Field.written)
    guard written == 0 || (began...began + TraceLayout.longest).contains(written) else {
      throw wrong(.impossible(field: "the time of writing", value: written), Field.written)
    }
    guard let program = image.field(Field.program, size: size - Field.program) else {
      throw wrong(.programIsNoText, Field.program)
    }
    return TraceHeader(
      namesSize: namesSize, namesUsed: namesUsed, chunkSize: chunkSize, chunkCount: chunkCount,
      processID: image.word(Field.processID), began: began,
      beganOnTheWall: image.double(Field.beganOnTheWall),
      eventsLost: image.double(Field.eventsLost), namesLost: image.double(Field.namesLost),
      processors: image.word(Field.processors), cause: cause, written: written, program: program)
  }

  private func number(
    _ field: String, _ offset: Int, _ isPossible: (Int) -> Bool
  ) throws(TraceImageError) -> Int {
    let value = image.word(offset)
    guard isPossible(Int(value)) else {
      throw wrong(.impossible(field: field, value: UInt64(value)), offset)
    }
    return Int(value)
  }

  // MARK: Names

  mutating func names(_ header: TraceHeader) throws(TraceImageError) -> [TraceName] {
    var names: [TraceName] = []
    var offset = TraceLayout.headerSize
    let end = offset + header.namesUsed
    while offset < end {
      if min(end, image.count) - offset < TraceLayout.nameHeaderSize {
        guard image.count < end else {
          throw wrong(.nameLength(UInt32(end - offset)), offset)
        }
        break
      }
      let length = image.word(offset)
      // In a recording written for any other cause, the names were copied under
      // the recorder's lock, so they are complete.
      let mayBeTorn = header.cause == .notYet || header.cause == .crash
      if length == 0 && mayBeTorn {
        notes.append("the program was stopped while it wrote a name; later ones are missing")
        break
      }
      guard Int(length) >= TraceLayout.nameHeaderSize, length % 8 == 0,
        Int(length) <= end - offset
      else { throw wrong(.nameLength(length), offset) }
      if offset + Int(length) > image.count { break }
      names.append(try name(offset, length: Int(length)))
      offset += Int(length)
    }
    if image.count < end {
      notes.append("the image ends after \(image.count) bytes, in its names: no event is there")
    }
    return names
  }

  private func name(_ offset: Int, length: Int) throws(TraceImageError) -> TraceName {
    guard let subject = TraceName.Subject(rawValue: image.byte(offset + 4)) else {
      throw wrong(.unknownSubject(image.byte(offset + 4)), offset + 4)
    }
    let flags = image.byte(offset + 5)
    guard subject.allows(flags) else {
      throw wrong(.unknownFlags(subject: subject, flags: flags), offset + 5)
    }
    let size = Int(image.half(offset + 6))
    guard TraceLayout.nameHeaderSize + size <= length else {
      throw wrong(.nameOverrun(text: size, record: length), offset + 6)
    }
    let id = image.double(offset + 8)
    guard subject != .thread || (1...UInt64(UInt32.max)).contains(id) else {
      throw wrong(.threadNumber(id), offset + 8)
    }
    guard let text = image.text(offset + TraceLayout.nameHeaderSize, count: size) else {
      throw wrong(.nameIsNoText, offset + TraceLayout.nameHeaderSize)
    }
    return TraceName(
      subject: subject, flags: flags, id: id, extra: image.double(offset + 16),
      when: image.double(offset + 24), text: text)
  }

  // MARK: Chunks

  mutating func chunks(
    _ header: TraceHeader
  ) throws(TraceImageError) -> ([TraceChunk], [TraceEvent]) {
    let start = TraceLayout.headerSize + header.namesSize
    let end = start + header.chunkCount * header.chunkSize
    guard image.count <= end else { throw wrong(.goesOn(bytes: image.count - end), end) }
    let whole = try usedChunks(header, from: start, to: min(image.count, end))
    var chunks: [TraceChunk] = []
    var events: [TraceEvent] = []
    events.reserveCapacity(whole.reduce(0) { $0 + $1.count })
    var (thread, known): (UInt32, UInt64) = (0, 0)
    for used in whole {
      // The events between those known so far and this chunk's first one are in no chunk.
      if used.thread != thread { (thread, known) = (used.thread, 0) }
      let lost = used.before > known ? used.before - known : 0
      known = max(known, used.before).addingOrMax(UInt64(used.count + used.missing))
      let first = events.count
      for index in 0..<used.count {
        events.append(try event(used.events + index * TraceLayout.eventSize, used, header))
      }
      chunks.append(
        TraceChunk(
          thread: used.thread, sequence: used.sequence, lostBefore: lost,
          events: first..<events.count))
    }
    let missing = whole.reduce(0) { $0 + $1.missing }
    if image.count < end && image.count >= TraceLayout.headerSize + header.namesUsed {
      notes.append(
        "the image ends \(end - image.count) bytes early; \(missing) events of what is there of "
          + "its chunks are missing")
    }
    return (chunks, events)
  }

  /// A chunk in use: the location and number of its events.
  private struct UsedChunk {
    let thread: UInt32
    let sequence: UInt64
    /// How many events the thread had before.
    let before: UInt64
    let events: Int
    let count: Int
    /// How many events the image lacks because it ends early.
    let missing: Int
    let offset: Int
  }

  /// The chunks in use, ordered by thread and sequence.
  private func usedChunks(
    _ header: TraceHeader, from start: Int, to end: Int
  ) throws(TraceImageError) -> [UsedChunk] {
    var chunks: [UsedChunk] = []
    let room = (header.chunkSize - TraceLayout.chunkHeaderSize) / TraceLayout.eventSize
    var offset = start
    while offset + TraceLayout.chunkHeaderSize <= end {
      defer { offset += header.chunkSize }
      let thread = image.word(offset)
      if thread == 0 { continue }
      let count = image.word(offset + 4)
      let sequence = image.double(offset + 8)
      // The program was killed while it opened this chunk.
      if sequence == 0 && count == 0 && header.cause == .notYet { continue }
      guard Int(count) <= room else {
        throw wrong(.eventCount(count, room: room), offset + 4)
      }
      let events = offset + TraceLayout.chunkHeaderSize
      let there = min(Int(count), (end - events) / TraceLayout.eventSize)
      chunks.append(
        UsedChunk(
          thread: thread, sequence: sequence, before: image.double(offset + 16),
          events: events, count: there, missing: Int(count) - there, offset: offset))
    }
    chunks.sort { ($0.sequence, $0.offset) < ($1.sequence, $1.offset) }
    var last: UInt64 = 0
    for chunk in chunks {
      guard chunk.sequence > last else { throw wrong(.sequence(chunk.sequence), chunk.offset + 8) }
      last = chunk.sequence
    }
    return chunks.sorted { ($0.thread, $0.sequence) < ($1.thread, $1.sequence) }
  }

  @inline(__always)
  private func event(
    _ offset: Int, _ chunk: UsedChunk, _ header: TraceHeader
  ) throws(TraceImageError) -> TraceEvent {
    let time = image.double(offset)
    guard time >= header.began, time - header.began <= TraceLayout.longest else {
      throw wrong(.impossibleTime(time), offset)
    }
    guard let kind = EventKind(rawValue: image.byte(offset + 8)) else {
      throw wrong(.unknownKind(image.byte(offset + 8)), offset + 8)
    }
    return TraceEvent(
      time: time, thread: chunk.thread, kind: kind, flags: image.byte(offset + 9),
      a: image.half(offset + 10), b: image.word(offset + 12), object: image.double(offset + 16),
      detail: image.double(offset + 24))
  }

  private func wrong(_ problem: TraceImageError.Problem, _ offset: Int) -> TraceImageError {
    TraceImageError(problem: problem, offset: offset)
  }
}

extension TraceName.Subject {
  /// Whether these flags are valid for the subject.
  fileprivate func allows(_ flags: UInt8) -> Bool {
    switch self {
    case .queue: TraceQueueKind(rawValue: flags) != nil
    case .thread: TraceThreadRole(rawValue: flags) != nil
    case .object: TraceObjectKind(rawValue: flags & ~TraceLayout.describedFlag) != nil
    case .text: true
    }
  }
}
