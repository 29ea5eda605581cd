// ChildProgram — runs this package's program and collects what it says.

import Glibc
import Testing

/// No run of the program takes anywhere near so long; what does is stuck.
let wedgeLimitSeconds = 120

struct ChildProgram {
  /// What it wrote on standard output and standard error.
  var output: String
  /// The exit status, or 128 and the signal's number.
  var status: Int32

  struct Stuck: Error {}

  /// A folder of the test's own, for as long as the test runs.
  static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var name = Array("/tmp/RunLoopCells.XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      for file in ["index.html", "index.html.part"] { unlink("\(folder)/out/\(file)") }
      rmdir("\(folder)/out")
      rmdir(folder)
    }
    return try body(folder)
  }

  /// Runs it until it ends, with nothing to read and no terminal.
  static func run(_ arguments: [String]) throws -> ChildProgram {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    let process = try start(arguments, input: nil, output: ends[1])
    close(ends[1])
    return try finish(process, reading: ends[0], keys: [])
  }

  /// A key, and the words that the terminal shows before it is pressed, each behind the one before.
  typealias Press = (key: Character, after: [String])

  /// Runs it on a terminal and presses the keys, each after its words were shown, and later
  /// than those of the key before.
  static func runOnTerminal(
    _ arguments: [String], pressing keys: [Press]
  ) throws -> (child: ChildProgram, isAsBefore: Bool) {
    let terminal = try Terminal()
    let before = try terminal.modes()
    let process = try start(arguments, input: terminal.side, output: terminal.side)
    let child = try finish(
      process, reading: terminal.own, keys: keys, keepsOpen: terminal.side)
    let after = try terminal.modes()
    terminal.close()
    return (child, before == after)
  }

  private static func start(
    _ arguments: [String], input: Int32?, output: Int32
  ) throws -> pid_t {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    try #require(length > 0)
    let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own[..<own.lastIndex(of: "/")!] + "/RunLoopCells"
    try #require(access(String(path), X_OK) == 0, "\(path) has not been built")

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    // The thread that runs a test may block signals, and a child inherits that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([String(path)] + arguments).map { strdup($0) } + [nil]
    var surroundings = environment.map { strdup($0) } + [nil]
    defer { for word in words + surroundings { free(word) } }
    var process = pid_t()
    try #require(
      posix_spawn(&process, String(path), &actions, &attributes, &words, &surroundings) == 0)
    return process
  }

  /// Ours, with a terminal that takes colours.
  private static var environment: [String] {
    var result = ["TERM=xterm-256color"]
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !variable.hasPrefix("TERM="), !variable.hasPrefix("NO_COLOR=") { result.append(variable) }
      entry += 1
    }
    return result
  }

  private static func finish(
    _ process: pid_t, reading descriptor: Int32, keys: [Press],
    keepsOpen other: Int32? = nil
  ) throws -> ChildProgram {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var presses = keys[...]
    var searched = 0
    var status: Int32 = 0
    var hasEnded = false
    let limit = time(nil) + wedgeLimitSeconds
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // A terminal whose other side the test keeps open does not end with the program.
      let isReady = poll(&polled, 1, 20) == 1
      let count = isReady ? read(descriptor, &buffer, buffer.count) : 0
      if count > 0 { bytes += buffer[..<count] }
      if hasEnded && count <= 0 { break }
      if !hasEnded && !(isReady && count > 0) {
        hasEnded = waitpid(process, &status, WNOHANG) == process
      }
      if let press = presses.first, let place = end(of: press.after, in: bytes[searched...]) {
        var key = press.key.asciiValue!
        #expect(write(descriptor, &key, 1) == 1)
        presses.removeFirst()
        searched = place
      }
      if time(nil) > limit {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        throw Stuck()
      }
    }
    if other == nil { close(descriptor) }
    let signal = status & 0x7f
    return ChildProgram(
      output: String(decoding: bytes, as: UTF8.self),
      status: signal == 0 ? status >> 8 & 0xff : 128 + signal)
  }

  /// Where the last of the words ends; nil if not all of them are there.
  private static func end(of words: [String], in bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    for word in words {
      guard let place = rest.firstRange(of: Array(word.utf8)) else { return nil }
      rest = rest[place.upperBound...]
    }
    return rest.startIndex
  }
}

/// A terminal of the test's own.
private struct Terminal {
  /// The side that a person sits at.
  let own: Int32
  /// The one that a program has.
  let side: Int32

  // `TIOCSPTLCK` and `TIOCGPTN` of <asm-generic/ioctls.h>, which Swift cannot import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  init() throws {
    own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(own >= 0)
    var isLocked: Int32 = 0
    try #require(ioctl(own, Self.unlock, &isLocked) == 0)
    var number: UInt32 = 0
    try #require(ioctl(own, Self.number, &number) == 0)
    side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(side >= 0)
    var size = winsize(ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(side, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// Those that a program might leave changed.
  func modes() throws -> tcflag_t {
    var modes = termios()
    try #require(tcgetattr(side, &modes) == 0)
    return modes.c_lflag
  }

  func close() {
    Glibc.close(own)
    Glibc.close(side)
  }
}
