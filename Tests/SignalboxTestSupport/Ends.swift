// Ends — two descriptors that are connected: a pipe, a pair of sockets, a terminal.
//
// They are closed with the last reference, if the test has not closed them.

import Glibc

package final class Ends: Sendable {
  private let descriptors: Guarded<(read: Int32, write: Int32)>

  private init(_ read: Int32, _ write: Int32) {
    for end in [read, write] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    descriptors = Guarded((read, write))
  }

  deinit {
    closeReading()
    closeWriting()
  }

  package static func pipe() throws -> Ends {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw SystemCallFailure(call: "pipe", code: errno) }
    return Ends(ends[0], ends[1])
  }

  package static func sockets() throws -> Ends {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw SystemCallFailure(call: "socketpair", code: errno)
    }
    return Ends(ends[0], ends[1])
  }

  /// A terminal that passes bytes as they are: `write` is the program's side, `read` the other.
  package static func terminal() throws -> Ends {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw SystemCallFailure(call: "open /dev/ptmx", code: errno) }
    var locked: Int32 = 0
    _ = ioctl(master, unlockTerminal, &locked)
    let slave = ioctl(master, openOtherSide, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else {
      Glibc.close(master)
      throw SystemCallFailure(call: "ioctl TIOCGPTPEER", code: errno)
    }
    var settings = termios()
    tcgetattr(slave, &settings)
    cfmakeraw(&settings)
    tcsetattr(slave, TCSANOW, &settings)
    return Ends(master, slave)
  }

  /// TIOCSPTLCK and TIOCGPTPEER, which the C library's module leaves out.
  private static let unlockTerminal: UInt = 0x4004_5431
  private static let openOtherSide: UInt = 0x5441

  package var read: Int32 { descriptors.current.read }
  package var write: Int32 { descriptors.current.write }

  package func closeReading() {
    let end = descriptors.withValue { ends in
      defer { ends.read = -1 }
      return ends.read
    }
    if end >= 0 { close(end) }
  }

  package func closeWriting() {
    let end = descriptors.withValue { ends in
      defer { ends.write = -1 }
      return ends.write
    }
    if end >= 0 { close(end) }
  }

  /// Writes by the system alone; there must be room. If the reader is gone, it is lost.
  package func put(_ bytes: [UInt8]) {
    var broken = sigset_t()
    var before = sigset_t()
    sigemptyset(&broken)
    sigaddset(&broken, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &broken, &before)
    write(bytes)
    var pending = sigset_t()
    sigpending(&pending)
    var taken: Int32 = 0
    if sigismember(&pending, SIGPIPE) == 1 { sigwait(&broken, &taken) }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private func write(_ bytes: [UInt8]) {
    var left = bytes[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(write, $0.baseAddress!, $0.count) }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
      left = left.dropFirst(count)
    }
  }

  /// Reads so many bytes by the system alone, or fewer at the end.
  package func take(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(count, 1 << 16))
    while bytes.count < count {
      let got = Glibc.read(read, &chunk, min(chunk.count, count - bytes.count))
      if got < 0 && errno == EINTR { continue }
      if got <= 0 { break }
      bytes += chunk[..<got]
    }
    return bytes
  }
}

/// How many descriptors this process has open.
package func openDescriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}
