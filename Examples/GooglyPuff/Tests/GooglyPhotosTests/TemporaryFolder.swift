// TemporaryFolder — a folder for one test, gone when the test is.

import Glibc
import GooglyPhotos
import Testing

final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/GooglyPuff.XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    Self.empty(FilePath(path))
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = try #require(fopen(self.file(name), "wb"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    return self.file(name)
  }

  func makeFolder(_ name: String) throws -> String {
    try #require(mkdir(file(name), 0o777) == 0)
    return file(name)
  }

  /// Every file below the folder, hidden ones included, by path from it.
  func contents(of name: String = "") throws -> [String] {
    var names: [String] = []
    for entry in Self.entries(FilePath(name.isEmpty ? path : file(name))) {
      let inner = name.isEmpty ? entry.name.description : "\(name)/\(entry.name)"
      if entry.isFolder {
        names += try contents(of: inner)
      } else {
        names.append(inner)
      }
    }
    return names.sorted()
  }

  /// The names in a folder, files and folders.
  static func names(in folder: String) throws -> [String] {
    entries(FilePath(folder)).map(\.name.description).sorted()
  }

  private static func empty(_ folder: FilePath) {
    for entry in entries(folder) {
      let path = folder.appending(entry.name)
      if entry.isFolder { empty(path) }
      _ = path.withCString { remove($0) }
    }
  }

  /// Links to folders are no folders; names need not be text.
  private static func entries(_ folder: FilePath) -> [(name: FilePath, isFolder: Bool)] {
    guard let stream = folder.withCString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var entries: [(name: FilePath, isFolder: Bool)] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(cString: $0) }
      }
      if name.description == "." || name.description == ".." { continue }
      entries.append((name, entry.pointee.d_type == UInt8(DT_DIR)))
    }
    return entries
  }
}

func bytes(of path: String) throws -> [UInt8] {
  let file = try #require(fopen(path, "rb"), "\(path) cannot be opened")
  defer { fclose(file) }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    result += buffer[..<count]
  }
  return result
}
