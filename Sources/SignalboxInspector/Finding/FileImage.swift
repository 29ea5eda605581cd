// FileImage — the beginning of an ELF file, to find out whether a file is the one that is in memory.

/// Why a file is not the one that was mapped.
struct FileMismatch: Error {
  let words: String
}

/// The beginning of an ELF file: as it was mapped, or as the file is now.
struct FileImage {
  private let segments: [ELFHeader.Segment]
  private let identity: [UInt8]?
  /// What follows the header in the first page. `strip` changes the header alone.
  private let page: [UInt8]

  private static let pageSize = 4096
  private static let gnuBuildID: UInt64 = 3

  /// Fails if the bytes cannot be read, or if the file is not an ELF file.
  ///
  /// - Parameter read: reads bytes at an offset from the beginning of the file; nil if it cannot.
  init?(_ read: (UInt64, Int) -> [UInt8]?) {
    guard let head = read(0, ELFHeader.size), let header = try? ELFHeader(head),
      let segments = header.segments(limit: Limits.programHeaders, read)
    else { return nil }
    self.segments = segments.filter { $0.type == ELFHeader.Segment.loaded }
    page = read(0, FileImage.pageSize).map { Array($0[ELFHeader.size...]) } ?? []
    identity = FileImage.identity(segments, read)
  }

  /// The build ID. The first segments of a file are mapped in one piece, so a note has the same
  /// offset in the file and in memory.
  private static func identity(
    _ segments: [ELFHeader.Segment], _ read: (UInt64, Int) -> [UInt8]?
  ) -> [UInt8]? {
    for segment in segments where segment.type == ELFHeader.Segment.note {
      let size = Int(min(segment.fileSize, UInt64(Limits.notes)))
      guard let bytes = read(segment.offset, size) else { continue }
      for note in ELFNotes(bytes, alignment: segment.alignment)
      where note.type == gnuBuildID && note.name.elementsEqual("GNU\0".utf8)
        && note.size > 0 && note.start + note.size <= bytes.count
      {
        return Array(bytes[note.start..<(note.start + note.size)])
      }
    }
    return nil
  }

  /// The build ID, as tools write it; nil if the file has none.
  var buildID: String? { identity.map(FileImage.hex) }

  /// Whether both have the same build ID. Their contents may differ.
  func hasBuildID(of other: FileImage) -> Bool { identity != nil && identity == other.identity }

  func check(_ now: FileImage) throws(FileMismatch) {
    if let then = identity, let found = now.identity, then != found {
      throw FileMismatch(
        words:
          "it is not the file that ran: its build ID is \(FileImage.hex(found)), the one that ran "
          + "has \(FileImage.hex(then))")
    }
    let isSame = identity != nil && now.identity != nil || page == now.page
    // A file that contains only symbols has the build ID, but not the contents.
    guard isSame, segments == now.segments else {
      throw FileMismatch(
        words: "it is not the file that ran: it differs from what the core has of it")
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
