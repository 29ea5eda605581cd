// ELFImage — the headers of an ELF program: the machine it is for, its dynamic linker, and the notes
// that Signalbox leaves in a program that is linked with it.
//
// Sources     elf(5); `note.h` of CSignalbox for the notes.

import CSignalboxTool
import Glibc

struct ELFImage {
  private let bytes: [UInt8]
  private let headers: [Header]

  /// A part of the file, as a program header describes it.
  private struct Header {
    let type: Int
    let offset: Int
    let size: Int
  }

  /// How much of Signalbox a program contains.
  enum Engine {
    case none
    /// The engine, for the program's own imports.
    case partial
    /// The engine and Dispatch's C functions: it serves the whole process.
    case whole
  }

  /// Nil if the file is not a 64-bit image of this byte order.
  init?(_ bytes: [UInt8]) {
    let isELF = bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    guard isELF, bytes.count >= 64 else { return nil }
    self.bytes = bytes
    let table = Self.number(bytes, at: 32, size: 8)
    let size = Self.number(bytes, at: 54, size: 2)
    let count = Self.number(bytes, at: 56, size: 2)
    guard let table, let size, let count, size >= 56 else { return nil }
    var headers: [Header] = []
    for index in 0..<count {
      let (position, overflows) = table.addingReportingOverflow(index * size)
      guard !overflows, let type = Self.number(bytes, at: position, size: 4),
        let offset = Self.number(bytes, at: position + 8, size: 8),
        let size = Self.number(bytes, at: position + 32, size: 8)
      else { return nil }
      headers.append(Header(type: type, offset: offset, size: size))
    }
    self.headers = headers
  }

  private static let interpreter = 3
  private static let note = 4
  private static let engineNote = 1
  private static let dispatchNote = 2

  private var machine: Int { Self.number(bytes, at: 18, size: 2) ?? 0 }

  private var hasDynamicLinker: Bool { headers.contains { $0.type == Self.interpreter } }

  /// Refuses a program whose libraries nobody can replace.
  func checkThatALibraryCanBeGiven(_ path: String) throws(Refusal) {
    if machine != Self.ownMachine {
      throw Refusal(
        text: "\(path) is a program for another machine (ELF machine \(machine), this one is "
          + "\(Self.ownMachine))")
    }
    if !hasDynamicLinker {
      throw Refusal(
        text: "\(path) is statically linked, so its libdispatch cannot be replaced. Build it with "
          + "SignalboxDropIn.")
    }
    var status = stat()
    let isSet = stat(path, &status) == 0 && status.st_mode & (S_ISUID | S_ISGID) != 0
    let hasRights = csb_tool_has_capabilities(path) != 0
    if isSet || hasRights {
      throw Refusal(
        text: "\(path) runs with more rights than its user has (set-user-ID, set-group-ID or "
          + "capabilities), so the dynamic linker takes no library from LD_LIBRARY_PATH. Build it "
          + "with SignalboxDropIn.")
    }
  }

  #if arch(x86_64)
    private static let ownMachine = 62
  #elseif arch(arm64)
    private static let ownMachine = 183
  #endif

  /// Looks for our notes.
  var engine: Engine {
    var types: Set<Int> = []
    for header in headers where header.type == Self.note {
      var position = header.offset
      let end = header.offset.addingReportingOverflow(header.size)
      guard !end.overflow else { continue }
      while let name = Self.number(bytes, at: position, size: 4),
        let description = Self.number(bytes, at: position + 4, size: 4),
        let type = Self.number(bytes, at: position + 8, size: 4), position + 12 <= end.partialValue
      {
        if bytes.dropFirst(position + 12).starts(with: Array("Signalbox\0".utf8)) {
          types.insert(type)
        }
        position += 12 + (name + 3) / 4 * 4 + (description + 3) / 4 * 4
      }
    }
    if types.contains(Self.dispatchNote) { return .whole }
    return types.contains(Self.engineNote) ? .partial : .none
  }

  /// A number in little-endian order; nil if it lies outside the bytes that were read.
  private static func number(_ bytes: [UInt8], at position: Int, size: Int) -> Int? {
    guard position >= 0, position <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for index in (0..<size).reversed() { value = value << 8 | UInt64(bytes[position + index]) }
    return Int(exactly: value)
  }
}
