// HostileCoreTests — cores that are damaged, or made to deceive a reader. Whatever they hold, the reader ends
// within its limits with a sentence or a report.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct HostileCoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func text(_ bytes: [UInt8]) throws -> String {
    let path = "\(folder.path)/core"
    try CoreWriter.write(bytes, to: path)
    let text: String
    do { text = try CoreTarget(path, program: nil).inspect().text } catch { text = error.text }
    let controls = text.unicodeScalars.contains {
      $0 != "\n"
        && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
    }
    #expect(!controls && !text.isEmpty)
    return text
  }

  private var image: ProcessImage {
    let image = ProcessImage()
    for number in 1...3 { image.thread(UInt64(number), holder: UInt64(number % 3 + 1)) }
    image.queue("label", state: 1)
    return image
  }

  private var writer: CoreWriter {
    var writer = CoreWriter(of: image)
    writer.threads = (1...3).map { (Int32(1000 + $0), image.base + 0x3_0000) }
    return writer
  }

  @Test func anImageIsReported() throws {
    var writer = writer
    let text = try text(writer.bytes())
    #expect(text.contains("deadlock: ") && text.contains("ended by signal 6"), "\(text)")
  }

  /// Each word of the headers and the notes, replaced by numbers that are worst.
  @Test func noNumberIsTrusted() throws {
    var writer = writer
    let original = writer.bytes()
    for place in stride(from: 4, to: writer.memoryStart, by: 4)
    where original[place...].prefix(8)
      .contains(where: { $0 != 0 }) || place < 64
    {
      for number in [0, 7, 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_F000, .max] as [UInt64] {
        var bytes = original
        for index in 0..<8 {
          bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        try text(bytes)
      }
    }
  }

  @Test func damagedCoresAreRead() throws {
    var random = SeededGenerator.announced()
    var writer = writer
    let original = writer.bytes()
    let start = writer.memoryStart
    let parts = [
      0..<64, 64..<176, 176..<start, start..<(start + 0x480), (start + 0x1000)..<(start + 0x2A00),
    ]
    for _ in 0..<300 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let part = try #require(parts.randomElement(using: &random))
        bytes[Int.random(in: part, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if random.next() % 4 == 0 {
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
      }
      try text(bytes)
    }
  }

  /// Paths that the core names and the reader must not read, or wait for.
  @Test func noDeviceOrPipeIsOpened() throws {
    let pipe = "\(folder.path)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero", "/proc/kmsg", "/proc/self/mem", "/", "", "none\u{1B}[2J"] {
      var writer = writer
      writer.mappings[0].path = path
      // Nothing of the memory is in the core but the threads' stacks.
      writer.segments[0].bytes = []
      let stack = CoreWriter.Segment(
        address: 0x1000_0000, size: 4096, bytes: [UInt8](repeating: 0, count: 4096))
      writer.segments.insert(stack, at: 0)
      writer.threads = [(1001, 0x1000_0000)]
      let text = try text(writer.bytes())
      #expect(text.contains("has no Signalbox in it"), "\(path): \(text)")
    }
  }

  /// More than the field in the header can count, and more than the limit.
  @Test func manySegmentsAreReadUpToTheLimit() throws {
    var writer = writer
    for index in 0..<0xFFFF {
      writer.segments.append(CoreWriter.Segment(address: UInt64(index + 1) << 16, size: 4096))
    }
    var bytes = writer.bytes()
    #expect(try text(bytes).contains("deadlock: "))
    // The first section says how many there are.
    let count = writer.memoryStart - 64 + 44
    for (index, byte) in [0x01, 0x00, 0x02].enumerated() { bytes[count + index] = UInt8(byte) }
    #expect(try text(bytes).contains("more parts of memory than signalbox reads"))
  }

  @Test func segmentsThatOverlapAreRead() throws {
    var writer = writer
    for shift in [0, 4096, 0x1000_0000] as [UInt64] {
      writer.segments.append(
        CoreWriter.Segment(
          address: writer.segments[0].address &- shift, size: .max >> 17, bytes: [1, 2, 3]))
      writer.mappings.append(
        CoreWriter.Mapping(start: shift, end: .max, offset: 0, path: "/bin/true"))
      try text(writer.bytes())
    }
  }
}
