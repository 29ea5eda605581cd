// PseudoTerminal — runs a program on a terminal that the test plays: it types, and looks at the screen.

import Glibc
import SignalboxTestSupport
import Testing

final class PseudoTerminal {
  private let master: Int32
  private let slave: Int32
  let process: pid_t
  private(set) var screen: ScreenImage
  private var hasEnded = false
  /// The settings before the program began.
  private let before: termios

  init(
    _ arguments: [String], columns: Int = 100, rows: Int = 30, environment: [String: String] = [:]
  ) throws {
    // What posix_openpt(3), unlockpt(3) and ptsname(3) do, which Swift does not import: see pts(4).
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    try #require(
      master >= 0 && ioctl(master, setLock, &lock) == 0 && ioctl(master, getNumber, &number) == 0)
    let name = "/dev/pts/\(number)"
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
    var settings = termios()
    try #require(tcgetattr(slave, &settings) == 0)
    before = settings
    screen = ScreenImage(columns: columns, rows: rows)
    process = try PseudoTerminal.start(arguments, environment, on: name)
  }

  /// Starts `signalbox` as the leader of a session on the terminal.
  private static func start(
    _ arguments: [String], _ changes: [String: String], on name: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // Whoever started the tests may have signals ignored.
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // POSIX_SPAWN_SETSID, which Swift does not import.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | 0x80)
    var variables = ["TERM": "xterm", "PATH": "/usr/bin:/bin"]
    for (variable, value) in changes { variables[variable] = value }
    if let libraries = getenv("LD_LIBRARY_PATH") {
      variables["LD_LIBRARY_PATH"] = String(cString: libraries)
    }
    let path = try ChildProgram("signalbox").path
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var lines = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + lines).forEach { free($0) } }
    var process = pid_t()
    try #require(posix_spawn(&process, path, &actions, &attributes, &words, &lines) == 0)
    return process
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    }
    close(master)
    close(slave)
  }

  // MARK: The user

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  /// Changes the size, and waits until the screen is as wanted. A picture of the old size that was under
  /// way does not fit.
  func resize(
    columns: Int, rows: Int, _ what: String, file: StaticString = #fileID, line: UInt = #line,
    until condition: (ScreenImage) -> Bool
  ) throws {
    while look() {}
    let known = screen.faults.count
    screen.resize(columns: columns, rows: rows)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    // The second one begins behind the one under way.
    let begun = screen.pictures + 2
    try wait(what, file: file, line: line) { $0.pictures >= begun && condition($0) }
    screen.forgetFaults(after: known)
  }

  /// Takes what the program has written, and waits for it a moment. Returns whether there was something.
  @discardableResult
  private func look() -> Bool {
    var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, 20) > 0 else { return false }
    var piece = [UInt8](repeating: 0, count: 65536)
    let count = read(master, &piece, piece.count)
    if count > 0 { screen.write(piece[..<count]) }
    return count > 0
  }

  /// Waits until the screen is as wanted. A picture arrives in pieces: until the last one, the
  /// screen has rows of the picture before it.
  func wait(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    until condition: (ScreenImage) -> Bool
  ) throws {
    let deadline = Uptime.now() + RealTime.wedge
    while !(screen.isWhole && condition(screen)) {
      guard Uptime.now() < deadline else {
        throw Wedge.found(
          "no \(what) on\n\(screen.lines.joined(separator: "\n"))\n", file: file, line: line)
      }
      look()
    }
  }

  func wait(for words: String, file: StaticString = #fileID, line: UInt = #line) throws {
    try wait(words, file: file, line: line) { $0.lines.contains { $0.contains(words) } }
  }

  // MARK: The end

  func waitForEnd() throws -> ChildProgram.Exit {
    let deadline = Uptime.now() + RealTime.wedge
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      try #require(Uptime.now() < deadline)
      look()
    }
    hasEnded = true
    look()
    let signal = status & 0x7F
    return signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal)
  }

  /// Whether the terminal is as it was before the program, as soon as its last bytes have come.
  var isRestored: Bool {
    let deadline = Uptime.now() + RealTime.wedge
    while Uptime.now() < deadline {
      look()
      var now = termios()
      tcgetattr(slave, &now)
      if now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag
        && now.c_oflag == before.c_oflag && !screen.isOtherScreen && screen.hasCursor
      {
        return true
      }
    }
    return false
  }

  /// The process that draws, which is the only child.
  func drawer() throws -> pid_t {
    let path = "/proc/\(process)/task/\(process)/children"
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 256)
    let count = fread(&text, 1, text.count - 1, file)
    let words = String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return try #require(words.split(separator: " ").first.flatMap { pid_t($0) })
  }
}
