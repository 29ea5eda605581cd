// CodeFiles — the files of a process that have code, and where they are in its memory.

/// A part of a file in memory.
struct FilePart {
  let start: UInt64
  let end: UInt64
  let offset: UInt64
  let path: String
  let hasCode: Bool
}

/// A file with code, as it is in memory.
struct CodeFile {
  let path: String
  /// Where its first byte is.
  let start: UInt64
  /// How far the loader moved the file.
  let moved: UInt64
  let table: UnwindTable?
}

final class CodeFiles {
  private let memory: TargetMemory
  /// By address.
  private let parts: [FilePart]
  /// By the address of the first byte.
  private var known: [UInt64: CodeFile?] = [:]

  init(_ parts: [FilePart], _ memory: TargetMemory) {
    self.parts = parts.sorted { $0.start < $1.start }
    self.memory = memory
  }

  /// The file with code at this address.
  func file(at address: UInt64) -> CodeFile? {
    guard let index = parts.lastIndex(notAbove: address, \.start) else { return nil }
    let part = parts[index]
    guard address < part.end, part.hasCode else { return nil }
    // The first byte of a file is mapped below the rest.
    let first = parts[...index].last { $0.path == part.path && $0.offset == 0 }
    guard let start = first?.start else { return nil }
    if let file = known[start] { return file }
    if known.count >= Limits.codeFiles { return nil }
    let file = open(part.path, at: start)
    known[start] = .some(file)
    return file
  }

  /// The beginning of the file, as it was mapped.
  func image(of file: CodeFile) -> FileImage? {
    FileImage { memory.bytes(at: file.start &+ $0, count: $1) }
  }

  private func open(_ path: String, at start: UInt64) -> CodeFile? {
    guard let head = memory.bytes(at: start, count: ELFHeader.size),
      let header = try? ELFHeader(head),
      let segments = header.segments(
        limit: Limits.programHeaders, { memory.bytes(at: start &+ $0, count: $1) }),
      let first = segments.first(where: { $0.type == ELFHeader.Segment.loaded && $0.offset == 0 })
    else { return nil }
    let moved = start &- first.address
    let table = segments.first { $0.type == UnwindTable.segment }.flatMap {
      UnwindTable(at: moved &+ $0.address, in: memory)
    }
    return CodeFile(path: path, start: start, moved: moved, table: table)
  }
}
