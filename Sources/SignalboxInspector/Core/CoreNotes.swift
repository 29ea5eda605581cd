// CoreNotes — what the notes of a core say: the process, its threads with their registers, and the
// files that it had mapped.
//
// Sources     core(5); <sys/procfs.h> for the structures; <elf.h> for the numbers.

struct CoreNotes {
  /// The number of the process in its own namespace, and its name; 0 and "" if there is no such note.
  private(set) var process: Int32 = 0
  private(set) var name = ""
  /// The thread that got the signal is the first.
  private(set) var threads: [CoreThread] = []
  private(set) var mappings: [CoreMapping] = []
  /// Where the program begins to run; 0 if unknown.
  private(set) var entry: UInt64 = 0

  private enum Kind {
    static let status: UInt64 = 1
    static let process: UInt64 = 3
    static let auxiliary: UInt64 = 6
    static let files: UInt64 = 0x4649_4C45
  }

  /// Whether the notes could be read to their end.
  private(set) var isWhole = true

  init(_ segments: [ELFHeader.Segment], in file: FileBytes) {
    var count = 0
    for segment in segments where segment.type == ELFHeader.Segment.note {
      var position = segment.offset
      let (end, overflows) = segment.offset.addingReportingOverflow(segment.fileSize)
      guard !overflows else { continue }
      while position < end {
        count += 1
        guard count <= Limits.coreNotes, let head = file.bytes(at: position, count: 12) else {
          isWhole = false
          return
        }
        // No sum overflows: the sizes have 32 bits, and the position is within the file.
        let name = (TargetMemory.number(head, at: 0, size: 4) + 3) & ~3
        let size = TargetMemory.number(head, at: 4, size: 4)
        let type = TargetMemory.number(head, at: 8, size: 4)
        read(type, at: position + 12 + name, size, file)
        position += 12 + name + (size + 3) & ~3
      }
    }
  }

  private mutating func read(_ type: UInt64, at place: UInt64, _ size: UInt64, _ file: FileBytes) {
    func bytes(_ limit: Int) -> [UInt8]? {
      size <= UInt64(limit) ? file.bytes(at: place, count: Int(size)) : nil
    }
    switch type {
    case Kind.status where threads.count < Limits.threads:
      if let thread = bytes(Limits.notes).flatMap(CoreThread.init) { threads.append(thread) }
    case Kind.process where process == 0:
      guard let bytes = bytes(Limits.notes) else { return }
      process = Int32(truncatingIfNeeded: TargetMemory.number(bytes, at: 24, size: 4))
      let text = bytes.dropFirst(40).prefix(16).prefix { $0 != 0 }
      name = DisplayText.make(Array(text), isCut: false)
    case Kind.auxiliary where entry == 0:
      guard let bytes = bytes(Limits.notes) else { return }
      for position in stride(from: 0, to: bytes.count, by: 16)
      where TargetMemory.number(bytes, at: position, size: 8) == CoreNotes.entryType {
        entry = TargetMemory.number(bytes, at: position + 8, size: 8)
      }
    case Kind.files where mappings.isEmpty:
      if let bytes = bytes(Limits.coreFiles) { mappings = CoreMapping.all(bytes) }
    default: break
    }
  }

  /// AT_ENTRY
  private static let entryType: UInt64 = 9
}

/// A thread of the process that was dumped.
package struct CoreThread {
  /// The thread's number in the process's own namespace.
  let kernelID: Int32
  /// The signal that ended the process; 0 if none did.
  let signal: Int32
  let registers: CoreRegisters

  private static let registersStart = 112

  init?(_ status: [UInt8]) {
    guard status.count >= CoreThread.registersStart + CoreRegisters.size else { return nil }
    signal = Int32(TargetMemory.number(status, at: 12, size: 2))
    kernelID = Int32(truncatingIfNeeded: TargetMemory.number(status, at: 32, size: 4))
    registers = CoreRegisters(status, at: CoreThread.registersStart)
  }
}

/// A part of a file that the process had mapped.
struct CoreMapping {
  let start: UInt64
  let end: UInt64
  /// Where the part begins in the file.
  let offset: UInt64
  let path: String

  /// Reads a note. It states how many mappings there are and the size of a page; then come the
  /// addresses, and then the paths.
  static func all(_ bytes: [UInt8]) -> [CoreMapping] {
    let count = TargetMemory.number(bytes, at: 0, size: 8)
    let page = TargetMemory.number(bytes, at: 8, size: 8)
    guard count <= UInt64(bytes.count / 24) else { return [] }
    let paths = bytes.dropFirst(16 + Int(count) * 24).split(
      separator: 0, omittingEmptySubsequences: false)
    return zip(0..<Int(count), paths).compactMap { index, path in
      func number(_ word: Int) -> UInt64 {
        TargetMemory.number(bytes, at: 16 + index * 24 + word * 8, size: 8)
      }
      let (offset, overflows) = number(2).multipliedReportingOverflow(by: page)
      guard number(0) < number(1), !overflows else { return nil }
      return CoreMapping(
        start: number(0), end: number(1), offset: offset,
        path: String(decoding: path, as: UTF8.self))
    }.sorted { $0.start < $1.start }
  }
}
