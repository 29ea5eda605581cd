// LineUnits — the units of the line tables of a file, one after the other. The section is read in
// windows, because the section of a large program would take too much memory.

struct LineUnits {
  private let file: FileBytes
  private let section: ELFSections.Section
  /// Where the next unit begins, in the section.
  private var position: UInt64 = 0
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  private static let windowSize = 1 << 20

  /// Where a unit is in its section, with its length.
  struct Unit {
    let start: UInt64
    let size: Int
  }

  init?(_ file: FileBytes, _ section: ELFSections.Section) {
    guard section.size <= file.size, section.offset <= file.size - section.size else { return nil }
    self.file = file
    self.section = section
  }

  /// The next unit and its bytes in the window; nil at the end, or if the rest cannot be read. A unit whose
  /// offsets have 64 bits is left out.
  mutating func next() -> (unit: Unit, window: [UInt8], bytes: Range<Int>)? {
    while let head = range(4) {
      let length = TargetMemory.number(window, at: head.lowerBound, size: 4)
      if length == 0xFFFF_FFFF {
        guard let head = range(12) else { return nil }
        let long = TargetMemory.number(window, at: head.lowerBound + 4, size: 8)
        guard long <= section.size - position - 12 else { return nil }
        position += 12 + long
        continue
      }
      guard let bytes = range(4 + length) else { return nil }
      let unit = Unit(start: position, size: bytes.count)
      position += UInt64(bytes.count)
      return (unit, window, bytes)
    }
    return nil
  }

  func bytes(of unit: Unit) -> [UInt8]? {
    file.bytes(at: section.offset + unit.start, count: unit.size)
  }

  /// Where in the window the next `count` bytes are; reads another window if necessary.
  private mutating func range(_ count: UInt64) -> Range<Int>? {
    let rest = section.size - position
    guard count <= rest else { return nil }
    let isInside =
      position >= windowStart && position + count <= windowStart + UInt64(window.count)
    if !isInside {
      let size = Int(min(rest, max(count, UInt64(LineUnits.windowSize))))
      window = []
      guard let bytes = file.bytes(at: section.offset + position, count: size) else { return nil }
      window = bytes
      windowStart = position
    }
    let start = Int(position - windowStart)
    return start..<(start + Int(count))
  }
}
