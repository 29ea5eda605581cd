// ELFSections — the sections of an ELF file of 64 bits. Sections are not loaded, so they are read
// from the file and not from memory.
//
// Sources     elf(5), "Section headers".

struct ELFSections {
  struct Section {
    let type: UInt64
    let flags: UInt64
    let offset: UInt64
    let size: UInt64
    let link: Int
    /// Where its name is in the section of names.
    fileprivate let name: Int

    static let withoutBytes: UInt64 = 8
    static let compressed: UInt64 = 0x800
  }

  let all: [Section]
  /// The names, each with a zero at its end.
  private let names: [UInt8]

  private static let headerSize = 64

  /// nil if the file has no sections, or they cannot be read.
  init?(_ file: FileBytes) {
    guard let head = file.bytes(at: 0, count: ELFHeader.size), let header = try? ELFHeader(head),
      header.sections != 0
    else { return nil }
    let count = Int(TargetMemory.number(head, at: 60, size: 2))
    guard count > 0, count <= Limits.sections,
      let bytes = file.bytes(at: header.sections, count: count * ELFSections.headerSize)
    else { return nil }
    all = (0..<count).map { index in
      func number(_ offset: Int, _ size: Int) -> UInt64 {
        TargetMemory.number(bytes, at: index * ELFSections.headerSize + offset, size: size)
      }
      return Section(
        type: number(4, 4), flags: number(8, 8), offset: number(24, 8), size: number(32, 8),
        link: Int(number(40, 4)), name: Int(number(0, 4)))
    }
    let index = Int(TargetMemory.number(head, at: 62, size: 2))
    let size = index < count ? Int(min(all[index].size, UInt64(Limits.sectionNames))) : 0
    names = index < count ? file.bytes(at: all[index].offset, count: size) ?? [] : []
  }

  /// The section with this name; nil if there is none, or its bytes are compressed or not in the file.
  subscript(name: String) -> Section? {
    let wanted = Array(name.utf8) + [0]
    return all.first {
      $0.size > 0 && $0.name < names.count && names[$0.name...].starts(with: wanted)
        && $0.type != Section.withoutBytes && $0.flags & Section.compressed == 0
    }
  }
}
