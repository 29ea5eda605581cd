// StandardError — writes one line at a time, each with one system call.

import Glibc

package enum StandardError {
  package static func print(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let result = bytes.withUnsafeBytes {
        write(STDERR_FILENO, $0.baseAddress! + written, bytes.count - written)
      }
      if result < 0 {
        if errno == EINTR { continue }
        return
      }
      written += result
    }
  }
}
