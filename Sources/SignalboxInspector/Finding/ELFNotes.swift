// ELFNotes — the notes in a segment of an ELF file.
//
// Sources     elf(5), "Notes".

struct ELFNotes: Sequence, IteratorProtocol {
  struct Note {
    let type: UInt64
    /// With the zero at its end.
    let name: ArraySlice<UInt8>
    /// Where the description begins within the segment, and its stated size.
    let start: Int
    let size: Int
  }

  private let bytes: [UInt8]
  private let step: Int
  private var position = 0

  init(_ bytes: [UInt8], alignment: UInt64) {
    self.bytes = bytes
    step = alignment == 8 ? 8 : 4
  }

  mutating func next() -> Note? {
    guard position <= bytes.count - 12 else { return nil }
    let name = Int(TargetMemory.number(bytes, at: position, size: 4))
    let size = Int(TargetMemory.number(bytes, at: position + 4, size: 4))
    let type = TargetMemory.number(bytes, at: position + 8, size: 4)
    let start = position + 12 + (name + step - 1) / step * step
    let text = bytes[(position + 12)...].prefix(name)
    position = start + (size + step - 1) / step * step
    return Note(type: type, name: text, start: start, size: size)
  }
}
