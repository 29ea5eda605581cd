// Keyboard — the Stop button: any key, an interruption, or the wish to end the program.
//
// Touching    everything: made and ended by the main thread.

import Glibc
import Signalbox

final class Keyboard {
  private var sources: [any DispatchSourceProtocol] = []
  private var modes: termios?

  /// - Parameter stop: called on the main thread, perhaps more than once.
  init(_ stop: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "keyboard")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { onMain(stop) }
      source.activate()
      sources.append(source)
    }
    guard isatty(STDIN_FILENO) == 1 else { return }
    readKeysAtOnce()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    source.setEventHandler {
      var key: UInt8 = 0
      // A terminal that has gone away is no key.
      if read(STDIN_FILENO, &key, 1) == 1 { onMain(stop) } else { source.cancel() }
    }
    source.activate()
    sources.append(source)
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
