// CoreMemory — the memory of a process that was dumped: what is in the core, and what the core leaves out
// because it is in files.

import Glibc

struct CoreMemory: MemorySource {
  private let core: CoreFile
  private let files: CoreFiles
  /// Whether to read mappings that the core does not describe from their files. This is for code,
  /// which does not change.
  private let hasCode: Bool

  init(_ core: CoreFile, _ files: CoreFiles, hasCode: Bool = false) {
    self.core = core
    self.files = files
    self.hasCode = hasCode
  }

  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    var done = 0
    while done < buffer.count {
      let (place, overflows) = address.addingReportingOverflow(UInt64(done))
      if overflows { return EFAULT }
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = copyPart(from: place, into: rest)
      guard count > 0 else { return EFAULT }
      done += count
    }
    return 0
  }

  /// - Returns: how many bytes were copied; 0 if the first one is not known.
  private func copyPart(from place: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let segment = core.segment(at: place) { return copy(from: place, in: segment, into: buffer) }
    guard hasCode, let mapping = mapping(at: place) else { return 0 }
    return copy(from: place, of: mapping, into: buffer)
  }

  private func copy(
    from place: UInt64, in segment: ELFHeader.Segment, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let offset = place - segment.address
    func part(_ left: UInt64) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, Int(clamping: left))])
    }
    if offset < segment.fileSize {
      return core.bytes.copy(
        from: segment.offset + offset, into: part(segment.fileSize - offset))
    }
    let rest = part(segment.memorySize - offset)
    guard let mapping = mapping(at: place) else {
      guard isUntouched(segment) else { return 0 }
      for index in rest.indices { rest[index] = 0 }
      return rest.count
    }
    return copy(from: place, of: mapping, into: rest)
  }

  private func copy(
    from place: UInt64, of mapping: CoreMapping, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard let file = files.file(of: mapping) else { return 0 }
    let inFile = UnsafeMutableRawBufferPointer(
      rebasing: buffer[..<min(buffer.count, Int(clamping: mapping.end - place))])
    let (start, overflows) = mapping.offset.addingReportingOverflow(place - mapping.start)
    if overflows { return 0 }
    let count = file.copy(from: start, into: inFile)
    return count > 0 ? count : zeros(behind: file, from: start, into: inFile)
  }

  /// Fills in the rest of the file's last page.
  private func zeros(
    behind file: FileBytes, from start: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let left = (CoreMemory.page - file.size % CoreMemory.page) % CoreMemory.page
    guard start >= file.size, start - file.size < left else { return 0 }
    let count = min(buffer.count, Int(left - (start - file.size)))
    for index in 0..<count { buffer[index] = 0 }
    return count
  }

  /// No page is smaller.
  private static let page: UInt64 = 4096

  private func mapping(at address: UInt64) -> CoreMapping? {
    let mappings = core.notes.mappings
    guard let index = mappings.lastIndex(notAbove: address, \.start) else { return nil }
    return address < mappings[index].end ? mappings[index] : nil
  }

  /// Whether the segment holds a file's zero-initialized variables, none of which was ever used.
  /// The kernel leaves memory that was never touched out of a core; it is full of zeros.
  private func isUntouched(_ segment: ELFHeader.Segment) -> Bool {
    guard segment.fileSize == 0, segment.flags & ELFHeader.Segment.writable != 0,
      segment.address > 0
    else { return false }
    return mapping(at: segment.address - 1) != nil
  }
}
