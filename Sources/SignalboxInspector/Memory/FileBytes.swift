// FileBytes — the contents of a regular file, read where they are asked for.

import CSignalboxTool
import Glibc

final class FileBytes {
  private let descriptor: Int32
  let size: UInt64

  enum Fault: Error, Equatable {
    case error(Int32)
    /// A folder, a pipe, a device.
    case notRegular

    var words: String {
      switch self {
      case .error(let code): String(cString: strerror(code))
      case .notRegular: "it is not a regular file"
      }
    }
  }

  init(_ path: String) throws(Fault) {
    let opened = csb_tool_open_file(path)
    guard opened >= 0 else { throw opened == -ENODEV ? .notRegular : .error(-opened) }
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let error = errno
      close(opened)
      throw .error(error)
    }
    size = UInt64(max(0, status.st_size))
  }

  deinit { close(descriptor) }

  /// - Returns: how many bytes were copied: fewer than asked for if the file ended before that when
  ///   it was opened, or if it cannot be read. A file in /proc has the size 0, so nothing is read
  ///   from it.
  func copy(from offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let start = buffer.baseAddress, offset < size else { return 0 }
    let limit = min(buffer.count, Int(clamping: size - offset))
    var done = 0
    while done < limit {
      guard let place = off_t(exactly: offset + UInt64(done)) else { break }
      let count = pread(descriptor, start + done, limit - done, place)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      done += count
    }
    return done
  }

  /// The bytes; nil if the file does not contain all of them.
  func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset else { return nil }
    var copied = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      copied = copy(from: offset, into: UnsafeMutableRawBufferPointer(buffer))
      used = copied
    }
    return copied == count ? bytes : nil
  }
}
