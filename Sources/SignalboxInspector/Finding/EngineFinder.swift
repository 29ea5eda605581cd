// EngineFinder — finds the copies of Signalbox in a process, by the notes in its memory.
//
// The program headers are read from memory, where the loader mapped them, and not from the file,
// which may have been replaced, or be out of reach.
//
// Sources     elf(5); `note.h` and `outside.c` of CSignalbox for the notes.

package struct EngineFinder {
  private let memory: TargetMemory

  package struct Engine {
    /// The file that contains the engine.
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
    /// Whether the process has more files with code than were looked at.
    package var isCut = false
    /// Where tables were looked for.
    fileprivate var places: Set<UInt64> = []
  }

  package init(_ memory: TargetMemory) { self.memory = memory }

  /// - Parameter maps: the text of /proc/PID/maps.
  package func find(in maps: String) -> Findings {
    let files = MappedFiles(maps)
    var findings = find(at: files.starts)
    findings.isCut = files.isCut
    return findings
  }

  func find(at starts: [MappedFiles.Start]) -> Findings {
    var findings = Findings()
    for start in starts { look(at: start, &findings) }
    return findings
  }

  private static let engineNote: UInt64 = 1
  private static let outsideNote: UInt64 = 3
  private static let name = Array("Signalbox\0".utf8)

  private func look(at start: MappedFiles.Start, _ findings: inout Findings) {
    guard let head = memory.bytes(at: start.address, count: ELFHeader.size) else { return }
    let header: ELFHeader
    do throws(ELFHeader.Fault) { header = try ELFHeader(head) } catch {
      if error == .foreign { findings.isForeign = true }
      return
    }
    let segments = header.segments(limit: Limits.programHeaders) { offset, count in
      memory.bytes(at: start.address &+ offset, count: count)
    }
    // The segment with the first byte of the file shows how far the loader moved the file.
    guard let segments,
      let first = segments.first(where: { $0.type == ELFHeader.Segment.loaded && $0.offset == 0 })
    else { return }
    let moved = start.address &- first.address
    var kinds: Set<UInt64> = []
    for segment in segments where segment.type == ELFHeader.Segment.note {
      let place = moved &+ segment.address
      let length = Int(min(segment.memorySize, UInt64(Limits.notes)))
      guard length > 0, let bytes = memory.bytes(at: place, count: length) else { continue }
      kinds.formUnion(
        read(bytes, at: place, alignment: segment.alignment, start.path, &findings))
    }
    // An engine of a release that had no table yet.
    if kinds.contains(EngineFinder.engineNote), !kinds.contains(EngineFinder.outsideNote) {
      findings.refused.append((start.path, .version(0)))
    }
  }

  /// - Returns: the types of Signalbox's notes.
  private func read(
    _ bytes: [UInt8], at address: UInt64, alignment: UInt64, _ path: String,
    _ findings: inout Findings
  ) -> Set<UInt64> {
    var kinds: Set<UInt64> = []
    for note in ELFNotes(bytes, alignment: alignment)
    where note.name.elementsEqual(EngineFinder.name) {
      kinds.insert(note.type)
      if note.type == EngineFinder.outsideNote, note.start <= bytes.count - 4 {
        let distance = Int32(
          truncatingIfNeeded: TargetMemory.number(bytes, at: note.start, size: 4))
        let place = address &+ UInt64(note.start)
        read(at: place &+ UInt64(bitPattern: Int64(distance)), path, &findings)
      }
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
