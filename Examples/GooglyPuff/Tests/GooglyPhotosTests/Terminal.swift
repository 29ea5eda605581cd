// Terminal — a terminal of a test's own, 60 columns wide.

import Glibc
import Testing

struct Terminal {
  /// The test's side: what is written here is typed, what is read was shown.
  let side: Int32
  /// The program's side.
  let path: String

  // `TIOCSPTLCK` and `TIOCGPTN` of <asm-generic/ioctls.h>, which Swift cannot import.
  private static let lock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430
  /// `POSIX_SPAWN_SETSID` of <spawn.h>, which is for GNU programs only.
  static let newSession: Int32 = 0x80

  init() throws {
    side = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(side >= 0)
    var isLocked: Int32 = 0
    try #require(ioctl(side, Self.lock, &isLocked) == 0)
    var number: UInt32 = 0
    try #require(ioctl(side, Self.number, &number) == 0)
    path = "/dev/pts/\(number)"
    var size = winsize(ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(side, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// The program's side, open; it does not become the terminal of who opens it.
  func open() throws -> Int32 {
    let other = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(other >= 0)
    return other
  }
}
