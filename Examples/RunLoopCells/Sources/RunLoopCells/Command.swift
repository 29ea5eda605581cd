// Command — what the two threads ask of each other, and the buffer that it waits in.
//
// Touching    a buffer: any thread, under its lock.

import Signalbox

enum Command: Equatable, Sendable {
  /// Of the second thread: compute the alphas of a round.
  case compute(round: Int)
  /// Of the main thread: these are they.
  case show(Alphas)
  /// Of the main thread: a person pressed this.
  case press(Button)
}

/// What a person can press.
enum Button: Equatable, Sendable {
  /// Start, or Stop when it runs.
  case startOrStop
  case end
}

/// Commands that wait for a thread. A signal says only that there are some: several of them
/// may have become one.
final class CommandBuffer: @unchecked Sendable {
  // SAFETY: `commands` is touched with the lock held only.
  private let lock = NSLock()
  private var commands: [Command] = []

  func append(_ command: Command) { lock.withLock { commands.append(command) } }

  /// All of them, oldest first. The buffer is empty then.
  func takeAll() -> [Command] {
    lock.withLock {
      defer { commands = [] }
      return commands
    }
  }
}
