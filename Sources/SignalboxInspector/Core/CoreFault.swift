// CoreFault — why a file cannot be read as a core.

enum CoreFault: Error, Equatable {
  case file(FileBytes.Fault)
  /// The command that unpacks the file.
  case compressed(String)
  case notELF
  /// An ELF file of another type: a program, a library.
  case notACore
  case foreign
  case machine(UInt64)
  /// The headers, or the notes, are not all there.
  case cut
  /// There are more parts of memory than the limit.
  case tooLarge
  case noThreads

  /// The first bytes of compressed files, with the commands that unpack them.
  private static let packers: [([UInt8], String)] = [
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd -d"), ([0x04, 0x22, 0x4D, 0x18], "lz4 -d"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz -d"), ([0x1F, 0x8B], "gzip -d"),
    ([0x42, 0x5A, 0x68], "bzip2 -d"),
  ]

  static func ofNoELF(_ bytes: [UInt8]) -> CoreFault {
    packers.first { bytes.starts(with: $0.0) }.map { .compressed($0.1) } ?? .notELF
  }
}
