// A port of a thread's loop. The toolchain has none within a process, so this is the
// reference document's own input source: a buffer of commands, a signal and a wake-up.

import Foundation

/// A port in the default mode of the thread's loop that makes it.
final class LoopPort: Sendable {
  private let commands: CommandBuffer
  private let source: LoopSource

  private struct Command {
    let number: Int
    let sender: LoopPort?
  }

  // SAFETY: `waiting` is touched under `lock`.
  private final class CommandBuffer: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: [Command] = []

    func add(_ command: Command) { lock.withLock { waiting.append(command) } }

    func takeAll() -> [Command] {
      lock.withLock {
        defer { waiting = [] }
        return waiting
      }
    }
  }

  init(_ receive: @escaping (_ number: Int) -> Void) {
    let commands = CommandBuffer()
    self.commands = commands
    source = LoopSource { for command in commands.takeAll() { receive(command.number) } }
  }

  func send(_ number: Int, from sender: LoopPort?) {
    commands.add(Command(number: number, sender: sender))
    source.signalAndWakeUp()
  }
}
