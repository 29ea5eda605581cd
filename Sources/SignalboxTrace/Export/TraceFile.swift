// TraceFile — writes a file that is either complete or absent.
//
// It writes to a temporary name in the same directory and renames the file when
// it is complete. A reader sees the old file until then, and a full disk leaves
// nothing behind. It does not sync the file to disk, because a trace can be
// recorded again.

import CSignalbox
import Glibc

final class TraceFile {
  private let path: String
  private let temporary: String
  private var descriptor: Int32

  /// Opens a temporary file for the file at `path`.
  init(path: String) throws(TraceExportError) {
    self.path = path
    // The name is unique among processes and among threads that write to the
    // same path.
    temporary = "\(path).\(getpid())-\(csb_thread_number()).part"
    // Never write to a file that another process has put there. A file of this
    // name is left over from a killed process that had the same process ID.
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    descriptor = csb_io_open(temporary, flags, 0o644)
    if descriptor == -EEXIST {
      unlink(temporary)
      descriptor = csb_io_open(temporary, flags, 0o644)
    }
    guard descriptor >= 0 else {
      throw .call("open", path: path, errno: -descriptor)
    }
  }

  static func isFolder(_ path: String) -> Bool { csb_trace_is_directory(path) != 0 }

  /// Removes a file that was not completed.
  deinit {
    if descriptor >= 0 {
      csb_io_close(descriptor)
      unlink(temporary)
    }
  }

  func write(_ bytes: [UInt8]) throws(TraceExportError) {
    let errno = bytes.withUnsafeBytes { write($0) }
    if errno != 0 { throw .call("write", path: path, errno: errno) }
  }

  /// Returns 0 or an errno.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      var whole = csb_io_part(bytes: part.baseAddress, size: part.count)
      let count = csb_io_write(descriptor, &whole, 1, -1, Int32(CSB_IO_DISK))
      if count < 0 { return Int32(-count) }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  /// Renames the file to its final name.
  func complete() throws(TraceExportError) {
    let file = descriptor
    descriptor = -1
    // Some file systems report a full disk only on close.
    if close(file) != 0 && errno != EINTR {
      let error = errno
      unlink(temporary)
      throw .call("close", path: path, errno: error)
    }
    if rename(temporary, path) != 0 {
      let error = errno
      unlink(temporary)
      throw .call("rename", path: path, errno: error)
    }
  }
}
