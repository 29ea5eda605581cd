// ImageBuilder — makes valid and invalid images by hand.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTrace

/// An image as the recorder would write it, from names and chunks.
struct ImageBuilder {
  struct Chunk {
    var thread: UInt32
    var lost: UInt64 = 0
    var events: [TraceEvent]
    /// Nil means the next number.
    var sequence: UInt64?
  }

  var began: UInt64 = 1_000_000
  var beganOnTheWall: UInt64 = 1_795_197_600_123_456_789
  var written: UInt64 = 0
  var cause = TraceHeader.Cause.programEnded
  var eventsLost: UInt64 = 0
  var namesLost: UInt64 = 0
  var processors: UInt32 = 4
  var processID: UInt32 = 4711
  var program = "painter"
  var namesSize: Int?
  var chunkSize = 4096
  var names: [TraceName] = []
  var chunks: [Chunk] = []

  // MARK: Filling

  mutating func queue(
    _ id: UInt64, _ label: String, _ kind: TraceQueueKind = .serial, target: UInt64 = 0,
    when: UInt64 = 0
  ) {
    names.append(
      TraceName(
        subject: .queue, flags: kind.rawValue, id: id, extra: target, when: when, text: label))
  }

  mutating func thread(
    _ number: UInt32, _ name: String, _ role: TraceThreadRole = .other, kernel: UInt64 = 0,
    when: UInt64 = 0
  ) {
    names.append(
      TraceName(
        subject: .thread, flags: role.rawValue, id: UInt64(number), extra: kernel, when: when,
        text: name))
  }

  mutating func object(
    _ id: UInt64, _ kind: TraceObjectKind, _ name: String, isDescription: Bool = false,
    when: UInt64 = 0
  ) {
    let flags = kind.rawValue | (isDescription ? TraceLayout.describedFlag : 0)
    names.append(
      TraceName(
        subject: .object, flags: flags, id: id, extra: 0, when: when, text: name))
  }

  mutating func text(_ id: UInt64, _ text: String, when: UInt64 = 0) {
    names.append(TraceName(subject: .text, flags: 0, id: id, extra: 0, when: when, text: text))
  }

  /// Appends an event to its thread's last chunk. Opens another chunk if that one is full or if
  /// events were lost before this one. `after` counts from the image's beginning.
  mutating func event(
    _ after: UInt64, _ thread: UInt32, _ kind: EventKind, _ object: UInt64 = 0,
    _ detail: UInt64 = 0, flags: UInt8 = 0, a: UInt16 = 0, b: UInt32 = 0, lost: UInt64 = 0
  ) {
    let event = TraceEvent(
      time: began + after, thread: thread, kind: kind, flags: flags, a: a, b: b, object: object,
      detail: detail)
    let room = (chunkSize - 32) / 32
    if lost == 0, let last = chunks.lastIndex(where: { $0.thread == thread }),
      chunks[last].events.count < room
    {
      chunks[last].events.append(event)
    } else {
      chunks.append(Chunk(thread: thread, lost: lost, events: [event]))
    }
  }

  // MARK: Writing

  var bytes: [UInt8] {
    let texts = names.flatMap { Self.bytes(of: $0) }
    let size = namesSize ?? (texts.count + 64)
    var image = Array("SBTRACE1".utf8)
    image.put(TraceLayout.version)
    image.put(UInt32(128))
    image.put(UInt32(size))
    image.put(UInt32(chunkSize))
    image.put(UInt32(chunks.count))
    image.put(processID)
    image.put(began)
    image.put(beganOnTheWall)
    image.put(eventsLost)
    image.put(processors)
    image.put(cause.rawValue)
    image.put(written)
    image.put(namesLost)
    image.put(UInt32(texts.count))
    image += Array(program.utf8)
    image += [UInt8](repeating: 0, count: 128 - image.count)
    image += texts + [UInt8](repeating: 0, count: size - texts.count)
    var known: [UInt32: UInt64] = [:]
    for (index, chunk) in chunks.enumerated() {
      let start = image.count
      let before = known[chunk.thread, default: 0] + chunk.lost
      known[chunk.thread] = before + UInt64(chunk.events.count)
      image.put(chunk.thread)
      image.put(UInt32(chunk.events.count))
      image.put(chunk.sequence ?? UInt64(index + 1))
      image.put(before)
      image.put(UInt64(0))
      for event in chunk.events { image += Self.bytes(of: event) }
      image += [UInt8](repeating: 0, count: start + chunkSize - image.count)
    }
    return image
  }

  static func bytes(of event: TraceEvent) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(event.time)
    bytes.put(event.kind.rawValue)
    bytes.put(event.flags)
    bytes.put(event.a)
    bytes.put(event.b)
    bytes.put(event.object)
    bytes.put(event.detail)
    return bytes
  }

  static func bytes(of name: TraceName) -> [UInt8] {
    let text = Array(name.text.utf8)
    let length = (32 + text.count + 7) / 8 * 8
    var bytes: [UInt8] = []
    bytes.put(UInt32(length))
    bytes.put(name.subject.rawValue)
    bytes.put(name.flags)
    bytes.put(UInt16(text.count))
    bytes.put(name.id)
    bytes.put(name.extra)
    bytes.put(name.when)
    bytes += text
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  // MARK: Reading back

  func recording() throws -> TraceRecording { try TraceRecording(bytes) }

  func trace() throws -> TraceModel { TraceModel(try recording()) }
}

extension [UInt8] {
  mutating func put<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
