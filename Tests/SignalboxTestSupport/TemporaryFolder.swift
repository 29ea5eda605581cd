// TemporaryFolder — a folder for one test's files; the last reference removes it.

import Glibc

package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/signalbox-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemCallFailure(call: "mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.removeAll(path) }

  /// Writes a file and creates the folders above it.
  package func write(_ name: String, _ text: String) throws {
    let whole = path + "/" + name
    for (index, character) in zip(whole.indices, whole) where character == "/" {
      mkdir(String(whole[..<index]), 0o755)
    }
    // Close-on-exec: a program that another test starts now would otherwise have it open, and the
    // kernel runs no file that somebody may write to.
    guard let file = fopen(whole, "we") else {
      throw SystemCallFailure(call: "fopen \(whole)", code: errno)
    }
    fputs(text, file)
    fclose(file)
  }

  private static func removeAll(_ path: String) {
    if remove(path) == 0 { return }
    guard let folder = opendir(path) else { return }
    defer {
      closedir(folder)
      remove(path)
    }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { removeAll("\(path)/\(name)") }
    }
  }
}
