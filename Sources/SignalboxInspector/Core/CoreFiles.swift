// CoreFiles — the files that a process had mapped, for the parts of them that are not in its core.
//
// A file may have been replaced since. It is used only if it matches the first page in the core.

final class CoreFiles {
  private let core: CoreFile
  /// The path of the program in the core, and where it is now, if the user has said so.
  private let program: (path: String, now: String)?
  private var open: [String: FileBytes] = [:]
  /// Why files that were needed cannot be used, by their paths.
  private(set) var faults: [String: String] = [:]

  /// The maximum number of files that are open at the same time.
  private static let most = 64

  init(_ core: CoreFile, program: (path: String, now: String)?) {
    self.core = core
    self.program = program
  }

  /// The file of a mapping; nil if it is gone, or if another file has replaced it.
  func file(of mapping: CoreMapping) -> FileBytes? {
    let path = mapping.path
    if let file = open[path] { return file }
    if faults[path] != nil || faults.count >= Limits.mappings { return nil }
    let place = program?.path == path ? program?.now ?? path : path
    do throws(FileMismatch) {
      let file = try CoreFiles.open(place, as: path, in: core)
      if open.count == CoreFiles.most { open = [:] }
      open[path] = file
      return file
    } catch {
      faults[path] = error.words
      return nil
    }
  }

  /// The file, for its symbols. Without it, the report lacks only names.
  func file(of code: CodeFile) -> FileBytes? {
    let place = program?.path == code.path ? program?.now ?? code.path : code.path
    return try? CoreFiles.open(place, as: code.path, in: core)
  }

  /// Opens the file that is at `place` now, if it is the one that was mapped from `path`.
  static func open(
    _ place: String, as path: String, in core: CoreFile
  ) throws(FileMismatch) -> FileBytes {
    let file: FileBytes
    do throws(FileBytes.Fault) { file = try FileBytes(place) } catch {
      throw FileMismatch(words: error.words)
    }
    let start = core.notes.mappings.first { $0.path == path && $0.offset == 0 }?.start
    let then = start.flatMap { start in
      FileImage { core.dumped(at: start &+ $0, count: $1) }
    }
    if let then {
      guard let now = FileImage({ file.bytes(at: $0, count: $1) }) else {
        throw FileMismatch(words: "it is no ELF file of 64 bits")
      }
      try then.check(now)
    }
    return file
  }
}
