// EngineFinder — finds the copies of Signalbox in a process, by the notes in its memory.
//
// The program headers are read from memory, where the loader mapped them, and not from the file,
// which may have been replaced, or be out of reach.
//
// Sources     elf(5); `note.h` and `outside.c` of CSignalbox for the notes.

package struct EngineFinder {
  private let memory: TargetMemory

  package struct Engine {
    /// The file that brings it.
    package let path: String
    package let table: EngineTable
  }

  /// What was found.
  package struct Findings {
    package var engines: [Engine] = []
    /// Files with an engine that cannot be read, with the reason.
    package var refused: [(path: String, fault: EngineTable.Fault)] = []
    /// Whether the process is of another kind than this one: 32 bits, or another byte order.
    package var isForeign = false
    /// Where tables were looked for.
    fileprivate var places: Set<UInt64> = []
  }

  package init(_ memory: TargetMemory) { self.memory = memory }

  /// - Parameter maps: the text of /proc/PID/maps.
  package func find(in maps: String) -> Findings {
    var findings = Findings()
    for start in MappedFiles(maps).starts { look(at: start, &findings) }
    return findings
  }

  private static let header = 64
  private static let programHeader = 56
  private static let loaded: UInt64 = 1
  private static let note: UInt64 = 4
  private static let engineNote: UInt64 = 1
  private static let outsideNote: UInt64 = 3
  private static let name = Array("Signalbox\0".utf8)

  private func look(at start: MappedFiles.Start, _ findings: inout Findings) {
    guard let head = memory.bytes(at: start.address, count: EngineFinder.header),
      head.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    else { return }
    guard head[4] == 2, head[5] == 1 else {
      findings.isForeign = true
      return
    }
    let table = TargetMemory.number(head, at: 32, size: 8)
    let size = Int(TargetMemory.number(head, at: 54, size: 2))
    let count = Int(TargetMemory.number(head, at: 56, size: 2))
    guard size == EngineFinder.programHeader, count > 0, count <= Limits.programHeaders,
      let headers = memory.bytes(at: start.address &+ table, count: size * count)
    else { return }
    func field(_ index: Int, _ offset: Int, _ size: Int) -> UInt64 {
      TargetMemory.number(headers, at: index * EngineFinder.programHeader + offset, size: size)
    }
    // The segment with the first byte of the file says how far the file was moved.
    let first = (0..<count).first {
      field($0, 0, 4) == EngineFinder.loaded && field($0, 8, 8) == 0
    }
    guard let first else { return }
    let moved = start.address &- field(first, 16, 8)
    var kinds: Set<UInt64> = []
    for index in 0..<count where field(index, 0, 4) == EngineFinder.note {
      let length = Int(min(field(index, 40, 8), UInt64(Limits.notes)))
      guard length > 0, let notes = memory.bytes(at: moved &+ field(index, 16, 8), count: length)
      else { continue }
      let step = field(index, 48, 8) == 8 ? 8 : 4
      kinds.formUnion(read(notes, at: moved &+ field(index, 16, 8), step, start.path, &findings))
    }
    // An engine from before there was a table.
    if kinds.contains(EngineFinder.engineNote), !kinds.contains(EngineFinder.outsideNote) {
      findings.refused.append((start.path, .version(0)))
    }
  }

  /// - Returns: the types of Signalbox's notes.
  private func read(
    _ notes: [UInt8], at address: UInt64, _ step: Int, _ path: String, _ findings: inout Findings
  ) -> Set<UInt64> {
    var kinds: Set<UInt64> = []
    var position = 0
    while position <= notes.count - 12 {
      let name = Int(TargetMemory.number(notes, at: position, size: 4))
      let description = Int(TargetMemory.number(notes, at: position + 4, size: 4))
      let type = TargetMemory.number(notes, at: position + 8, size: 4)
      let start = position + 12 + (name + step - 1) / step * step
      if name == EngineFinder.name.count, notes[(position + 12)...].starts(with: EngineFinder.name)
      {
        kinds.insert(type)
        if type == EngineFinder.outsideNote, start <= notes.count - 4 {
          let distance = Int32(truncatingIfNeeded: TargetMemory.number(notes, at: start, size: 4))
          let place = address &+ UInt64(start)
          read(at: place &+ UInt64(bitPattern: Int64(distance)), path, &findings)
        }
      }
      position = start + (description + step - 1) / step * step
    }
    return kinds
  }

  private func read(at address: UInt64, _ path: String, _ findings: inout Findings) {
    // A file may be mapped more than once.
    guard findings.places.insert(address).inserted else { return }
    do throws(EngineTable.Fault) {
      findings.engines.append(Engine(path: path, table: try EngineTable(at: address, in: memory)))
    } catch {
      findings.refused.append((path, error))
    }
  }
}
