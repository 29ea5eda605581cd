// CoreFile — a core: the memory of a process and its threads, as the kernel or a debugger wrote them.
//
// By default (`coredump_filter`), a core contains all memory that the process has written to, and
// the first page of each mapped ELF file. What was only read, such as code and constants, is in
// those files; see `CoreMemory`.
//
// Sources     core(5); fs/binfmt_elf.c and `vma_dump_size` of the kernel.

struct CoreFile {
  let bytes: FileBytes
  let notes: CoreNotes
  /// The parts of memory, by address. Each lies below 2⁶⁴.
  let segments: [ELFHeader.Segment]
  /// How large the file would be with all memory that its headers promise.
  let wholeSize: UInt64

  private static let core: UInt64 = 4

  init(_ path: String) throws(CoreFault) {
    do throws(FileBytes.Fault) { bytes = try FileBytes(path) } catch { throw .file(error) }
    let file = bytes
    guard let head = file.bytes(at: 0, count: min(ELFHeader.size, Int(clamping: file.size)))
    else { throw .cut }
    let header: ELFHeader
    do throws(ELFHeader.Fault) { header = try ELFHeader(head) } catch {
      throw error == .foreign ? .foreign : .ofNoELF(head)
    }
    guard header.type == CoreFile.core else { throw .notACore }
    guard header.machine == ELFHeader.ownMachine else { throw .machine(header.machine) }
    let all = header.segments(limit: Limits.coreSegments) { file.bytes(at: $0, count: $1) }
    guard let all else {
      let count = header.segmentCount { file.bytes(at: $0, count: $1) } ?? 0
      throw count > Limits.coreSegments ? .tooLarge : .cut
    }
    segments = all.filter { segment in
      segment.type == ELFHeader.Segment.loaded && segment.memorySize > 0
        && !segment.address.addingReportingOverflow(segment.memorySize).overflow
        && !segment.offset.addingReportingOverflow(segment.fileSize).overflow
    }
    .sorted { $0.address < $1.address }
    wholeSize = segments.reduce(0) { max($0, $1.offset + $1.fileSize) }
    notes = CoreNotes(all, in: file)
    if notes.threads.isEmpty { throw notes.isWhole ? .noThreads : .cut }
  }

  var isCut: Bool { bytes.size < wholeSize }

  /// The segment with this address.
  func segment(at address: UInt64) -> ELFHeader.Segment? {
    guard let index = segments.lastIndex(notAbove: address, \.address) else { return nil }
    let segment = segments[index]
    return address - segment.address < segment.memorySize ? segment : nil
  }

  /// Bytes that are in the core itself; nil unless one segment contains all of them.
  func dumped(at address: UInt64, count: Int) -> [UInt8]? {
    guard let segment = segment(at: address) else { return nil }
    let offset = address - segment.address
    guard offset < segment.fileSize, UInt64(count) <= segment.fileSize - offset else { return nil }
    return bytes.bytes(at: segment.offset + offset, count: count)
  }
}

extension Array {
  /// The last element whose key is not above the given one. The elements are in the order of their keys.
  func lastIndex(notAbove key: UInt64, _ keyOf: (Element) -> UInt64) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if keyOf(self[middle]) <= key { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
