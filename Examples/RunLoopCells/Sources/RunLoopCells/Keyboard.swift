// Keyboard — the buttons: the space bar is Start and Stop; q and the signals that end a
// program end this one.
//
// Touching    everything: made and ended by the main thread.

import Glibc
import Signalbox

final class Keyboard {
  private var sources: [any DispatchSourceProtocol] = []
  private var modes: termios?

  /// - Parameter press: called on a thread of a queue, for each press.
  init(_ press: @escaping @Sendable (Button) -> Void) {
    let queue = DispatchQueue(label: "keyboard")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { press(.end) }
      source.activate()
      sources.append(source)
    }
    guard isatty(STDIN_FILENO) == 1 else { return }
    readKeysAtOnce()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    source.setEventHandler {
      var key: UInt8 = 0
      // A terminal that has gone away is no key.
      guard read(STDIN_FILENO, &key, 1) == 1 else { return source.cancel() }
      if let button = Self.button(of: key) { press(button) }
    }
    source.activate()
    sources.append(source)
  }

  private static func button(of key: UInt8) -> Button? {
    switch key {
    case UInt8(ascii: " "): .startOrStop
    case UInt8(ascii: "q"): .end
    default: nil
    }
  }

  /// Not a line at a time, and not shown.
  private func readKeysAtOnce() {
    var now = termios()
    guard tcgetattr(STDIN_FILENO, &now) == 0 else { return }
    modes = now
    now.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &now)
  }

  /// The terminal is as it was.
  func end() {
    for source in sources { source.cancel() }
    sources = []
    if var modes { tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) }
    modes = nil
  }
}
