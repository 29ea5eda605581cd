// TemporaryFile — an unlinked file for one test, open for reading and writing.

import Glibc

package struct TemporaryFile: Sendable {
  package let descriptor: Int32

  /// Creates a file with these bytes and seeks to its beginning.
  package init(_ bytes: [UInt8]) throws {
    var name = Array("/tmp/signalbox-test-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw SystemCallFailure(call: "mkstemp", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(name)
    var left = bytes[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
      guard count > 0 else { throw SystemCallFailure(call: "write", code: errno) }
      left = left.dropFirst(count)
    }
    lseek(descriptor, 0, SEEK_SET)
  }

  /// All bytes of the file, whatever the current offset.
  package var contents: [UInt8] {
    var status = stat()
    fstat(descriptor, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }

  package func close() { Glibc.close(descriptor) }
}
