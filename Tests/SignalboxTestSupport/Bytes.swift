// Bytes — reads and writes a descriptor through system calls only, and retries after signals.

import CSystemCalls
import Glibc

package enum Bytes {
  /// Writes all bytes. If the reader has closed its end, the bytes are lost and no signal is
  /// raised. Any other error ends the process, because a test must always be able to write to
  /// its own ends.
  package static func put(_ bytes: [UInt8], into descriptor: Int32) {
    var broken = sigset_t()
    var before = sigset_t()
    sigemptyset(&broken)
    sigaddset(&broken, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &broken, &before)
    write(bytes, into: descriptor)
    var pending = sigset_t()
    sigpending(&pending)
    var taken: Int32 = 0
    if sigismember(&pending, SIGPIPE) == 1 { sigwait(&broken, &taken) }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func write(_ bytes: [UInt8], into descriptor: Int32) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && (errno == EPIPE || errno == ECONNRESET) { return }
      guard count > 0 else { Wedge.fatal("write to \(descriptor): errno \(errno)") }
      written += count
    }
  }

  /// Returns the result of one read: no bytes at the end of the stream or when nothing is
  /// available.
  package static func take(_ count: Int, from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let length = read(descriptor, &bytes, count)
      if length < 0 && errno == EINTR { continue }
      return Array(bytes[0..<max(0, length)])
    }
  }

  /// Makes the descriptor non-blocking, writes until it accepts no more, and returns the number
  /// of bytes written.
  package static func fill(_ descriptor: Int32) throws -> Int {
    let error = csc_never_wait(descriptor)
    guard error == 0 else { throw SystemCallFailure(call: "fcntl", code: error) }
    let bytes = [UInt8](repeating: 9, count: 4096)
    var all = 0
    while true {
      let count = Glibc.write(descriptor, bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return all }
      guard count > 0 else { throw SystemCallFailure(call: "write", code: errno) }
      all += count
    }
  }
}
