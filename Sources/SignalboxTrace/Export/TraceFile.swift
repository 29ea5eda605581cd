// TraceFile — a file that is there whole or not at all.
//
// It is written under another name beside the one it shall have, and gets that when it is
// complete. Who reads meanwhile sees the old file, and a full disk leaves nothing behind. It
// is not forced to the disk: a trace is no treasure.

import CSignalbox
import Glibc

final class TraceFile {
  private let path: String
  private let temporary: String
  private var descriptor: Int32

  /// Opens a file that will be at `path`.
  init(path: String) throws(TraceExportError) {
    self.path = path
    // Unlike that of another process, or of another thread that writes to the same place.
    temporary = "\(path).\(getpid())-\(csb_thread_number()).part"
    // Nothing that somebody else has put there is written to. What has this name is left from a
    // process that had this one's number and was killed.
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

  /// What was not completed goes.
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

  /// Gives the file its name.
  func complete() throws(TraceExportError) {
    let file = descriptor
    descriptor = -1
    // Some file systems tell only now that there is no room.
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
