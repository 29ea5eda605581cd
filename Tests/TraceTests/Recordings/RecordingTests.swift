// RecordingTests — what a reader finds in an image, and its error for data that is no image.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RecordingTests {
  /// Two threads, three names, and one chunk that is not full.
  private func sample() -> ImageBuilder {
    var image = ImageBuilder()
    image.queue(7, "com.example.log", .concurrent, target: 9)
    image.thread(1, "main", .main, kernel: 4711)
    image.object(12, .lock, "canvas 🎨")
    image.event(5, 1, .itemSubmitted, 7, 0xFFFF_8000_1234_5678, flags: 3, a: 4)
    image.event(9, 2, .itemStarted, 7, 0xFFFF_8000_1234_5678)
    image.event(30, 2, .itemFinished, 7, 0xFFFF_8000_1234_5678, a: 65535, b: .max)
    return image
  }

  @Test func everythingIsReadAsItWasWritten() throws {
    var image = sample()
    image.eventsLost = 3
    image.namesLost = 2
    image.written = image.began + 77
    let recording = try image.recording()
    #expect(recording.names == image.names)
    #expect(recording.events == image.chunks.flatMap(\.events))
    #expect(recording.chunks.map(\.thread) == [1, 2])
    #expect(recording.chunks.map(\.events) == [0..<1, 1..<3])
    let header = recording.header
    #expect(header.program == "painter" && header.processID == 4711 && header.processors == 4)
    #expect(header.began == image.began && header.beganOnTheWall == image.beganOnTheWall)
    #expect(header.eventsLost == 3 && header.namesLost == 2)
    #expect(header.cause == .programEnded && header.written == image.began + 77)
    #expect(recording.notes.isEmpty)
  }

  @Test func anEmptyRecordingIsValid() throws {
    let recording = try ImageBuilder().recording()
    #expect(recording.events.isEmpty && recording.names.isEmpty && recording.notes.isEmpty)
  }

  @Test func aThreadsChunksAreInTheOrderOpened() throws {
    var image = ImageBuilder()
    for (thread, sequence, after) in [(2, 9, 40), (1, 4, 10), (2, 2, 5), (1, 11, 50)] {
      let event = TraceEvent(
        time: image.began + UInt64(after), thread: UInt32(thread), kind: .workerParked)
      image.chunks.append(
        .init(thread: UInt32(thread), events: [event], sequence: UInt64(sequence)))
    }
    // An unused chunk contains nothing, whatever its bytes are.
    image.chunks.insert(
      .init(thread: 0, events: [.init(time: 0, thread: 0, kind: .mark)], sequence: 2), at: 1)
    let recording = try image.recording()
    #expect(recording.chunks.map(\.sequence) == [4, 11, 2, 9])
    #expect(recording.events.map { $0.time - image.began } == [10, 50, 5, 40])
  }

  // MARK: Damage

  private func problem(
    _ change: (inout [UInt8], ImageBuilder) -> Void
  ) -> (TraceImageError.Problem, Int)? {
    let image = sample()
    var bytes = image.bytes
    change(&bytes, image)
    do throws(TraceImageError) {
      _ = try TraceRecording(bytes)
      return nil
    } catch {
      var start = "not a recording: at byte \(error.offset), "
      if case .unknownVersion(let other) = error.problem {
        start = "the recording has version \(other)"
      }
      #expect(error.description.hasPrefix(start))
      return (error.problem, error.offset)
    }
  }

  @Test func errorsInTheHeaderAreReported() throws {
    #expect(problem { bytes, _ in bytes = [] }! == (.endsInHeader(size: 0), 0))
    #expect(problem { bytes, _ in bytes[3] = 0 }! == (.foreign, 0))
    #expect(
      problem { bytes, _ in bytes = Array(bytes[..<127]) }! == (.endsInHeader(size: 127), 127))
    for other in [1, 2, 4] as [UInt8] {
      #expect(problem { bytes, _ in bytes[8] = other }! == (.unknownVersion(UInt32(other)), 8))
    }
    var bytes = ImageBuilder().bytes
    bytes[8] = 1
    let error = #expect(throws: TraceImageError.self) { try TraceRecording(bytes) }
    #expect(
      error?.description
        == "the recording has version 1 of the format, and this program reads version 3: read it "
        + "with the Signalbox that recorded it")
    let impossible: [(Int, UInt32, String)] = [
      (12, 136, "the header's size"), (16, 12, "the size of the names"),
      (80, 4096, "the names' size in use"), (20, 32, "a chunk's size"),
      (20, 100, "a chunk's size"), (20, .max - 31, "a chunk's size"),
    ]
    for (offset, value, field) in impossible {
      let found = problem { bytes, _ in bytes.set(value, at: offset) }
      #expect(found! == (.impossible(field: field, value: UInt64(value)), offset))
    }
    #expect(problem { bytes, _ in bytes[60] = 9 }! == (.unknownCause(9), 60))
    #expect(problem { bytes, _ in bytes[84] = 0xFF }! == (.programIsNoText, 84))
    #expect(
      problem { bytes, _ in bytes.set(UInt64(3), at: 64) }!
        == (.impossible(field: "the time of writing", value: 3), 64))
    #expect(
      problem { bytes, _ in bytes.set(UInt64.max, at: 32) }!
        == (.impossible(field: "the beginning", value: .max), 32))
  }

  @Test func errorsInANameAreReported() throws {
    let first = 128
    #expect(problem { bytes, _ in bytes.set(UInt32(0), at: first) }! == (.nameLength(0), first))
    #expect(problem { bytes, _ in bytes.set(UInt32(33), at: first) }! == (.nameLength(33), first))
    #expect(
      problem { bytes, _ in bytes.set(UInt32(4096), at: first) }! == (.nameLength(4096), first))
    #expect(problem { bytes, _ in bytes[first + 4] = 5 }! == (.unknownSubject(5), first + 4))
    #expect(
      problem { bytes, _ in bytes[first + 5] = 5 }!
        == (.unknownFlags(subject: .queue, flags: 5), first + 5))
    // The name would reach into the next record.
    #expect(
      problem { bytes, _ in bytes[first + 6] = 60 }!
        == (.nameOverrun(text: 60, record: 48), first + 6))
    #expect(problem { bytes, _ in bytes[first + 32] = 0xC0 }! == (.nameIsNoText, first + 32))
    let second = first + 48
    #expect(
      problem { bytes, _ in bytes.set(UInt64(0), at: second + 8) }!
        == (.threadNumber(0), second + 8))
    // The remaining bytes in use for names are not a record.
    #expect(
      problem { bytes, image in
        bytes.set(UInt32(image.names.flatMap { ImageBuilder.bytes(of: $0) }.count + 8), at: 80)
      }?.0 == .nameLength(8))
  }

  /// A crash may find any of a thread's chunks unused, at each moment of its reuse.
  @Test func eventsThatNoChunkHasAreLost() throws {
    var image = sample()
    for step in 0..<4 as Range<UInt64> { image.event(40 + step, 3, .workerParked, lost: step) }
    let start = 128 + image.names.flatMap { ImageBuilder.bytes(of: $0) }.count + 64
    func lost(_ change: (inout [UInt8]) -> Void) throws -> [UInt64] {
      var bytes = image.bytes
      change(&bytes)
      return try TraceRecording(bytes).chunks.filter { $0.thread == 3 }.map(\.lostBefore)
    }
    #expect(image.chunks.count == 6)
    #expect(try lost { _ in } == [0, 1, 2, 3])
    #expect(try lost { $0.set(UInt32(0), at: start + 2 * 4096) } == [2, 2, 3])
    #expect(try lost { $0.set(UInt32(0), at: start + 4 * 4096) } == [0, 1, 6])
    // What cannot be is no loss.
    #expect(try lost { $0.set(UInt64(0), at: start + 5 * 4096 + 16) } == [0, 1, 2, 0])
    #expect(
      try lost { $0.set(UInt64.max, at: start + 4 * 4096 + 16) } == [0, 1, UInt64.max - 3, 0])
  }

  @Test func errorsInAChunkAreReported() throws {
    let start = 128 + sample().names.flatMap { ImageBuilder.bytes(of: $0) }.count + 64
    #expect(
      problem { bytes, _ in bytes.set(UInt32(128), at: start + 4) }!
        == (.eventCount(128, room: 127), start + 4))
    #expect(
      problem { bytes, _ in bytes.set(UInt32.max, at: start + 4) }!
        == (.eventCount(.max, room: 127), start + 4))
    #expect(
      problem { bytes, _ in bytes.set(UInt64(0), at: start + 8) }!
        == (.sequence(0), start + 8))
    #expect(
      problem { bytes, _ in bytes.set(UInt64(2), at: start + 8) }!
        == (.sequence(2), start + 4096 + 8))
    #expect(problem { bytes, _ in bytes[start + 40] = 0 }! == (.unknownKind(0), start + 40))
    let unknown = EventKind.allCases.map(\.rawValue).max()! + 1
    #expect(
      problem { bytes, _ in bytes[start + 40] = unknown }!
        == (.unknownKind(unknown), start + 40))
    #expect(
      problem { bytes, _ in bytes.set(UInt64(999_999), at: start + 32) }!
        == (.impossibleTime(999_999), start + 32))
    #expect(
      problem { bytes, _ in bytes.set(UInt64.max, at: start + 32) }!
        == (.impossibleTime(.max), start + 32))
    #expect(
      problem { bytes, _ in bytes.append(0) }! == (.goesOn(bytes: 1), start + 2 * 4096))
  }

  @Test func completePartsOfATruncatedImageAreRead() throws {
    var image = sample()
    image.cause = .notYet
    let whole = image.bytes
    let events = image.chunks.flatMap(\.events)
    let names = image.names.map { ImageBuilder.bytes(of: $0).count }
    for size in 128..<whole.count {
      let recording = try TraceRecording(Array(whole[..<size]))
      #expect(!recording.notes.isEmpty, "cut to \(size)")
      // The names and events that end before the cut.
      var (there, end) = (0, 128)
      while there < names.count && end + names[there] <= size {
        (there, end) = (there + 1, end + names[there])
      }
      #expect(recording.names == Array(image.names[..<there]), "cut to \(size)")
      let chunks = 128 + names.reduce(0, +) + 64
      let ends = [chunks + 64, chunks + 4096 + 64, chunks + 4096 + 96]
      #expect(recording.events == Array(events[..<ends.count { $0 <= size }]), "cut to \(size)")
    }
  }

  @Test func aNameThatWasBeingWrittenEndsTheNames() throws {
    var image = sample()
    image.cause = .notYet
    var bytes = image.bytes
    bytes.set(UInt32(0), at: 128 + 48)
    let recording = try TraceRecording(bytes)
    #expect(recording.names == Array(image.names[..<1]))
    #expect(recording.notes.count == 1 && recording.events.count == 3)
  }

  @Test func randomDamageIsReportedAndNeverEndsTheProcess() throws {
    var generator = SeededGenerator.announced()
    var image = sample()
    for index in 0..<200 {
      let kind = EventKind.allCases[index % EventKind.allCases.count]
      image.event(100 + UInt64(index), 3, kind, 7, UInt64(index % 5))
    }
    let whole = image.bytes
    let folder = try TemporaryFolder()
    var (refused, taken) = (0, 0)
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        // An image consists mostly of events, but its front is decisive.
        let range = Bool.random(using: &generator) ? 0..<400 : 0..<bytes.count
        let offset = Int.random(in: range, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
        case 2 where offset + 4 <= bytes.count:
          bytes.set(
            [0, 1, UInt32.max, UInt32(1) << 31].randomElement(using: &generator)!, at: offset)
        default: bytes = Array(bytes[..<max(offset, 1)])
        }
        if bytes.count < 400 { break }
      }
      do throws(TraceImageError) {
        let recording = try TraceRecording(bytes)
        // A recording that is accepted must be usable: the test makes a trace of it, and
        // sometimes writes it.
        let trace = TraceModel(recording)
        #expect(trace.items.count <= recording.events.count)
        taken += 1
        if taken % 10 == 0 {
          #expect(!PlainText(trace).all.isEmpty && !trace.json.isEmpty)
          let written = bytes.withUnsafeBytes { bytes in
            Result { try TraceExport.write(rawImage: bytes, to: "\(folder.path)/a.pftrace") }
          }
          #expect(throws: Never.self) { try written.get() }
        }
      } catch {
        #expect((0...bytes.count).contains(error.offset))
        refused += 1
      }
    }
    #expect(refused > 100 && taken > 100)
  }
}

extension [UInt8] {
  mutating func set<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    Swift.withUnsafeBytes(of: value.littleEndian) {
      replaceSubrange(offset..<offset + $0.count, with: $0)
    }
  }
}
