// TraceMemory — the image of a recording: a header, the names, the chunks.
//
// One zeroed mapping whose size is fixed at the start. The recorder never
// unmaps it: a thread that was interrupted in the middle of an event may still
// write to it after the recording has ended. `empty` frees the pages and keeps
// the addresses reserved.
//
// Touching    the header and the names: under the recorder's lock. The chunks:
//             see `TraceThread` and `TraceChunks`.

import CSignalbox
import SignalboxRuntime

/// A recording's memory.
package struct TraceMemory: @unchecked Sendable {  // SAFETY: see Touching.
  package let base: UnsafeMutableRawPointer
  package let namesSize: Int
  package let chunkSize: Int
  package let chunkCount: Int

  /// Small enough that many threads get a chunk, and that reusing one loses few events. A multiple
  /// of `TraceLayout.eventSize`: see I1 of `TraceThread`.
  package static let chunkSize = 16384

  /// In bytes.
  package var size: Int { TraceLayout.headerSize + namesSize + chunkCount * chunkSize }

  package var bytes: UnsafePointer<UInt8> {
    UnsafePointer(base.assumingMemoryBound(to: UInt8.self))  // SAFETY: mapped memory, as bytes.
  }

  package var names: UnsafeMutableRawPointer { base + TraceLayout.headerSize }

  package func chunk(_ index: Int) -> UnsafeMutableRawPointer {
    names + namesSize + index * chunkSize
  }

  /// - Returns: nil, with the errno in `error`, if the system refuses the
  ///   memory.
  static func map(namesSize: Int, chunkCount: Int, _ error: inout Int32) -> TraceMemory? {
    var memory: UnsafeMutableRawPointer?
    let size = TraceLayout.headerSize + namesSize + chunkCount * chunkSize
    error = csb_memory_map(size, &memory)
    guard error == 0, let memory else { return nil }
    let image = TraceMemory(
      base: memory, namesSize: namesSize, chunkSize: chunkSize, chunkCount: chunkCount)
    image.writeHeader()
    return image
  }

  func empty() { csb_memory_empty(base, size) }

  /// The size of a file of this image, in bytes. It excludes chunks that were
  /// never used.
  package var usedSize: Int {
    TraceLayout.headerSize + namesSize + Int(word(TraceLayout.Header.chunkCount)) * chunkSize
  }

  /// Unmaps the image. Only for a copy, into which no thread records events.
  func unmap() { _ = csb_memory_unmap(base, size) }

  // MARK: The header

  private func writeHeader() {
    base.copyMemory(from: TraceLayout.magic, byteCount: TraceLayout.magic.count)
    set(TraceLayout.Header.version, TraceLayout.version)
    set(TraceLayout.Header.headerSize, UInt32(TraceLayout.headerSize))
    set(TraceLayout.Header.namesSize, UInt32(namesSize))
    set(TraceLayout.Header.chunkSize, UInt32(chunkSize))
    // The count covers only chunks that were opened, and grows with them.
    set(TraceLayout.Header.chunkCount, UInt32(0))
    set(TraceLayout.Header.processID, UInt32(bitPattern: csb_process_id()))
    set(TraceLayout.Header.began, Clock.uptime.now)
    set(TraceLayout.Header.beganOnTheWall, Clock.wall.now)
    set(TraceLayout.Header.processors, UInt32(csb_processor_count()))
    // Truncated at a character boundary, with a NUL at its end.
    let room = TraceLayout.headerSize - TraceLayout.Header.program - 1
    let program = TraceText.cut(String(cString: csb_program_name()), to: room)
    for (index, byte) in program.utf8.enumerated() {
      base.storeBytes(of: byte, toByteOffset: TraceLayout.Header.program + index, as: UInt8.self)
    }
  }

  func set(_ offset: Int, _ value: UInt32) {
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  func set(_ offset: Int, _ value: UInt64) {
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  func word(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: base.load(fromByteOffset: offset, as: UInt32.self))
  }
}

enum TraceText {
  /// The longest prefix of `text` that fits into `size` bytes, truncated at a
  /// character boundary.
  static func cut(_ text: String, to size: Int) -> String {
    if text.utf8.count <= size { return text }
    var left = size
    var end = text.startIndex
    while end < text.endIndex {
      let next = text.index(after: end)
      let bytes = text[end..<next].utf8.count
      if bytes > left { break }
      left -= bytes
      end = next
    }
    return String(text[..<end])
  }
}
