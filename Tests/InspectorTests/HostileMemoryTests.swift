// HostileMemoryTests — memory that is damaged, or made to deceive a reader. Whatever it holds, the reader
// ends within its limits, and what it prints is text.

import Glibc
@testable import SignalboxInspector
import SignalboxTestSupport
import Testing

@Suite struct HostileMemoryTests {
  /// Inspects the image, and checks what must hold for every image.
  @discardableResult
  private func inspect(
    _ source: any MemorySource, _ maps: String, _ readings: () -> Int
  ) -> Inspection? {
    let inspection = ProcessImage.inspect(source, maps)
    #expect(readings() <= Limits.readings)
    if let inspection { check(ProcessImage.text(of: inspection)) }
    return inspection
  }

  @discardableResult
  private func inspect(_ image: ProcessImage) -> Inspection? {
    inspect(image, image.maps) { image.readings }
  }

  private func check(_ text: String) {
    let controls = text.unicodeScalars.contains {
      $0 != "\n"
        && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
    }
    #expect(!controls)
  }

  // MARK: Lists

  @Test func aListOfThreadsInACircleEnds() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    image.put(image.address(record), at: image.field("next", of: record))
    let inspection = try #require(inspect(image))
    #expect(inspection.threads.map(\.number) == [1])
    #expect(inspection.notes.contains { $0.contains("list of threads") })
  }

  @Test func queuesFramesHoldsAndItemsInCirclesEnd() throws {
    let image = ProcessImage()
    let queue = image.queue("circle", state: 1)
    image.put(image.address(queue), at: queue)
    // Its target is itself, and so is its only item's next one.
    image.put(image.address(queue - 64), at: queue + 16)
    let item = image.make(16)
    image.put(image.address(item), at: item)
    image.put(image.address(item), at: queue + 24)
    let thread = image.thread(1)
    let hold = image.make(32)
    image.put(2, at: hold + 8)
    image.put(image.address(hold), at: hold)
    image.put(image.address(hold), at: hold + 16)
    for field in ["holds", "frame", "reader_blocks"] {
      image.put(image.address(hold), at: image.field(field, of: thread))
    }
    image.put(3, at: image.field("holder_kind", of: thread))
    image.put(image.address(queue - 64), at: image.field("object", of: thread))
    let inspection = try #require(inspect(image))
    #expect(ProcessImage.text(of: inspection).contains("holds at least 1000 items"))
    #expect(inspection.notes.contains { $0.contains("list of queues") })
  }

  @Test func poolsInACircleEnd() throws {
    let image = ProcessImage()
    let pool = image.make(64)
    image.put(image.address(pool), at: image.pools)
    image.put(image.address(pool), at: pool)
    #expect(try #require(inspect(image)).pools.count == 8)
  }

  /// At each address is the record of one more thread.
  @Test func aListWithoutEndEnds() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    let source = EndlessThreads(image, record)
    let inspection = try #require(inspect(source, image.maps) { source.readings })
    #expect(!inspection.threads.isEmpty && inspection.threads.count <= 4096)
    #expect(inspection.notes.contains { $0.contains("list of threads") })
  }

  // MARK: Texts

  @Test func aTextWithoutEndIsCut() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    let long = image.make(20_000)
    for index in 0..<20_000 { image.bytes[long + index] = UInt8(ascii: "x") }
    for field in ["name", "title"] {
      image.put(image.address(long), at: image.field(field, of: record))
    }
    let text = ProcessImage.text(of: try #require(inspect(image)))
    #expect(text.contains("x…") && text.utf8.count < 4000)
  }

  @Test func aTextCannotControlATerminal() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    image.put(
      image.text("a\u{1B}[2J\nfake line\u{202E}\u{9B}b"), at: image.field("name", of: record))
    let text = ProcessImage.text(of: try #require(inspect(image)))
    #expect(text.contains("a\\u{1B}[2J\\nfake line"), "\(text)")
  }

  @Test func aTextCannotEndItsQuotationMarks() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    image.put(image.text("a\", b\\n"), at: image.field("name", of: record))
    let text = ProcessImage.text(of: try #require(inspect(image)))
    #expect(text.contains(#""a\", b\\n")"#), "\(text)")
  }

  @Test func aLabelOfAnyLengthIsCut() throws {
    let image = ProcessImage()
    let queue = image.queue("", state: 1)
    for length in [UInt64.max, 1 << 47, 0xFFFF_FFFF_FFFF] {
      image.put(length, at: queue + 48)
      for object in [image.address(0x2000), 0, .max, 1 << 60, 1 << 61] {
        image.put(object, at: queue + 56)
        inspect(image)
      }
    }
  }

  @Test func aTextAtTheEndOfMemoryIsMissing() throws {
    let image = ProcessImage()
    let record = image.thread(1, holder: 2)
    let last = image.address(ProcessImage.size - 3)
    for index in 1...3 { image.bytes[ProcessImage.size - index] = UInt8(ascii: "x") }
    for address in [last, .max, .max - 7, 1, 4095] {
      image.put(address, at: image.field("name", of: record))
      image.put(address, at: image.field("title", of: record))
      #expect(try #require(inspect(image)).threads.first?.name == "")
    }
  }

  // MARK: Numbers

  /// Each word of the headers, the table, and the lists, replaced by numbers that are worst.
  @Test func noNumberIsTrusted() throws {
    let worst: [UInt64] = [
      0, 7, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 63, .max,
    ]
    let original = ProcessImage()
    original.thread(1, holder: 2)
    original.thread(2, holder: 1)
    original.queue("label", state: 1)
    // Every third entry of the table.
    let step = 3 * 64
    let places =
      Array(stride(from: 0, to: 176, by: 4)) + Array(stride(from: 0x400, to: 0x440, by: 4))
      + Array(stride(from: 0x1000, to: 0x1000 + 32, by: 4))
      + Array(stride(from: 0x1000 + 32 + 48, to: 0x1000 + 32 + 100 * 64, by: step))
      + Array(stride(from: 0x1000 + 32 + 56, to: 0x1000 + 32 + 100 * 64, by: step))
      + Array(stride(from: 0x8000, to: 0x8010, by: 8))
      + Array(stride(from: 0x8100, to: 0x8110, by: 8))
      + Array(stride(from: 0x10000, to: 0x10400, by: 8))
    for place in places {
      for number in worst {
        let image = ProcessImage(copying: original)
        image.put(number, at: place, size: place < 0x1020 ? 4 : 8)
        inspect(image)
      }
    }
  }

  /// The process ends at each reading in turn.
  @Test func aProcessThatEndsIsNoticed() throws {
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.thread(2, holder: 1)
    image.queue("label", state: 1)
    inspect(image)
    for count in 0..<image.readings {
      let source = Ending(ProcessImage(copying: image), after: count)
      let memory = TargetMemory(source)
      if let engine = EngineFinder(memory).find(in: image.maps).engines.first {
        _ = Inspection(engine, memory)
      }
      #expect(memory.failure == ESRCH)
      // It is not asked again.
      #expect(source.readings == count + 1)
    }
  }

  // MARK: Random

  @Test func damagedImagesAreRead() throws {
    var random = SeededGenerator.announced()
    let original = ProcessImage()
    for number in 1...5 { original.thread(UInt64(number), holder: UInt64(number % 5 + 1)) }
    for number in 1...3 { original.queue("queue \(number)", state: UInt64(number)) }
    let parts = [0..<0x480, 0x1000..<0x2A00, 0x8000..<0x8300, 0x10000..<0x11000]
    for _ in 0..<250 {
      let image = ProcessImage(copying: original)
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let place = Int.random(in: parts.randomElement(using: &random)!, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: image.bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: image.put(UInt64.random(in: 0...UInt64.max, using: &random), at: place & ~7)
        default:
          // An address that exists.
          let offset = Int.random(in: parts.randomElement(using: &random)!, using: &random)
          image.put(image.address(offset & ~7), at: place & ~7)
        }
      }
      inspect(image)
    }
  }

  @Test func randomMemoryBehindAValidTableIsRead() throws {
    var random = SeededGenerator.announced()
    for _ in 0..<25 {
      let image = ProcessImage()
      for offset in stride(from: 0x8000, to: ProcessImage.size, by: 8) where random.next() % 4 != 0
      {
        let offsetOfAny = Int.random(in: 0x8000..<ProcessImage.size, using: &random) & ~7
        image.put(random.next() % 2 == 0 ? random.next() : image.address(offsetOfAny), at: offset)
      }
      inspect(image)
    }
  }

  @Test func memoryThatAnswersEverythingIsRead() throws {
    let source = AnythingAnywhere()
    inspect(source, ProcessImage().maps) { source.readings }
  }
}

/// A process that ends after some readings.
private final class Ending: MemorySource {
  private let image: ProcessImage
  private let limit: Int
  private(set) var readings = 0

  init(_ image: ProcessImage, after limit: Int) {
    self.image = image
    self.limit = limit
  }

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    readings += 1
    return readings > limit ? ESRCH : image.copy(from: address, into: buffer)
  }
}

/// The record of a thread at each address behind the first one's.
private final class EndlessThreads: MemorySource {
  private let image: ProcessImage
  private let record: Int
  private(set) var readings = 0

  init(_ image: ProcessImage, _ record: Int) {
    self.image = image
    self.record = record
    image.put(EndlessThreads.start, at: image.field("next", of: record))
  }

  private static let start: UInt64 = 0x10_0000_0000
  private static let distance: UInt64 = 0x1000

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    readings += 1
    guard address >= EndlessThreads.start, address < image.base else {
      return image.copy(from: address, into: buffer)
    }
    let place = address / EndlessThreads.distance * EndlessThreads.distance
    let offset = Int(address - place)
    var bytes = [UInt8](repeating: 0, count: 4096 + buffer.count)
    func put(_ value: UInt64, _ name: String) {
      let at = image.field(name, of: 0)
      for index in 0..<8 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    put(place, "self")
    put(place / EndlessThreads.distance, "number")
    put(place &+ EndlessThreads.distance, "next")
    buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    return 0
  }
}

/// Bytes that depend on their address alone, at every address but those of the headers and the table.
private final class AnythingAnywhere: MemorySource {
  private let image = ProcessImage()
  private(set) var readings = 0

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    readings += 1
    if address >= image.base, address < image.base + 0x8000 {
      return image.copy(from: address, into: buffer)
    }
    for index in buffer.indices {
      let place = (address &+ UInt64(index)) / 8
      buffer[index] = UInt8(
        truncatingIfNeeded: (place &* 0x9E37_79B9_7F4A_7C15) >> (8 * UInt64(index % 7)))
    }
    return 0
  }
}
