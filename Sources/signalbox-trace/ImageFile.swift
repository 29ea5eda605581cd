// ImageFile — reads a recording from a file.

import Glibc
import SignalboxTrace

enum ImageFile {
  /// Reads the file to its end; it may be a pipe.
  static func read(_ path: String) throws(TraceExportError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .call("open", path: path, errno: errno) }
    defer { close(file) }
    var status = stat()
    let isKnown = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    // Allocate one byte more than the file's size, so that the end is seen
    // without another buffer.
    let size = isKnown ? Int(status.st_size) + 1 : 1 << 20
    var bytes = [UInt8](repeating: 0, count: size)
    var used = 0
    while true {
      if used == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
      let count = bytes.withUnsafeMutableBytes { [used] in
        Glibc.read(file, $0.baseAddress! + used, $0.count - used)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .call("read", path: path, errno: errno) }
      if count == 0 { return Array(bytes[..<used]) }
      used += count
    }
  }
}
