// PrivateFolder — where all files of a serving program lie, for its user's eyes only, until it ends.

import Glibc
import GooglyPhotos

// SAFETY: immutable; the kernel keeps the descriptor's calls apart.
final class PrivateFolder: @unchecked Sendable {
  let path: FilePath
  /// Files are opened relative to this, so that nobody can put another folder in its place.
  let descriptor: Int32

  var originals: FilePath { path.appending("originals") }
  var results: OutputFolder { OutputFolder(path.appending("results")) }

  init() throws(PhotoFailure) {
    let parent = getenv("TMPDIR").map { FilePath(cString: $0) } ?? FilePath("/tmp")
    let wanted = (parent.isEmpty ? FilePath("/tmp") : parent).appending("GooglyPuff.XXXXXX")
    var template: [CChar] = wanted.withCString {
      Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
    }
    guard mkdtemp(&template) != nil else {
      throw .system(doing: "make the folder \(wanted)", code: errno)
    }
    path = template.withUnsafeBufferPointer { FilePath(cString: $0.baseAddress!) }
    descriptor = path.withCString {
      Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    }
    guard descriptor >= 0, originals.withCString({ mkdir($0, 0o700) }) == 0 else {
      throw .system(doing: "make the folder \(path)", code: errno)
    }
    try results.prepare()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Opens a file by its path from here.
  func openFile(_ name: String) throws(PhotoFailure) -> OpenFile {
    try OpenFile(FilePath(name), inFolder: descriptor)
  }

  /// Takes files away by their paths from here; some need not be there.
  func remove(_ names: [String]) {
    for name in names { unlinkat(descriptor, name, 0) }
  }

  /// Takes everything away. Work that is still under way may write one more file, but none into a
  /// folder that is gone.
  func removeAll() {
    for _ in 0..<1_000 where !Self.remove(path) && errno == ENOTEMPTY {}
  }

  private static func remove(_ folder: FilePath) -> Bool {
    if let stream = folder.withCString({ opendir($0) }) {
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(cString: $0) }
        }
        if name.description == "." || name.description == ".." { continue }
        let inner = folder.appending(name)
        if entry.pointee.d_type == UInt8(DT_DIR) {
          _ = remove(inner)
        } else {
          _ = inner.withCString { unlink($0) }
        }
      }
    }
    return folder.withCString { rmdir($0) } == 0
  }
}
