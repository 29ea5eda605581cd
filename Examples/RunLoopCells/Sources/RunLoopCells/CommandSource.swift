// CommandSource — a run loop's input source with the commands that wait for it.
//
// Touching    everything: any thread; nothing of it changes but the buffer, which has a lock.

import Signalbox

/// An input source of version 0, which its thread adds to its own loop and whoever has it
/// sends commands to.
final class CommandSource: Sendable {
  let name: String
  let commands = CommandBuffer()
  let source: CFRunLoopSource

  /// - Parameters:
  ///   - name: for the journal.
  ///   - schedule: called when the source has come to a loop.
  ///   - cancel: called when it has left one.
  ///   - perform: called on the loop's thread, with what waited; never with nothing.
  init(
    _ name: String, journal: Journal,
    schedule: @escaping @Sendable (ScheduledSource) -> Void,
    cancel: @escaping @Sendable () -> Void,
    perform: @escaping @Sendable ([Command]) -> Void
  ) {
    self.name = name
    let commands = commands
    let box = Box()
    var context = CFRunLoopSourceContext()
    context.schedule = { _, loop, mode in
      journal.note("schedule \(name)")
      guard let source = box.source, let loop, let mode else { return }
      schedule(ScheduledSource(source: source, loop: loop, mode: mode))
    }
    context.cancel = { _, _, _ in
      journal.note("cancel \(name)")
      cancel()
    }
    context.perform = { _ in
      let waiting = commands.takeAll()
      if !waiting.isEmpty { perform(waiting) }
    }
    source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    box.source = self
  }

  /// Adds it to the calling thread's loop.
  func addToCurrentRunLoop() {
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
  }

  /// What the call-backs know the source by, without keeping it: it keeps them.
  private final class Box: @unchecked Sendable {
    // SAFETY: set before the source is anywhere; read afterwards.
    weak var source: CommandSource?
  }
}

/// A source and where it is: all that another thread needs to reach it.
struct ScheduledSource: Sendable {
  let source: CommandSource
  let loop: CFRunLoop
  let mode: CFRunLoopMode

  /// Puts a command into the buffer, marks the source and wakes its loop.
  func send(_ command: Command) {
    source.commands.append(command)
    CFRunLoopSourceSignal(source.source)
    CFRunLoopWakeUp(loop)
  }

  /// Takes the source out of its loop, which calls its cancel call-back here and now.
  func cancel() { CFRunLoopRemoveSource(loop, source.source, mode) }

  /// Ends the run of its loop that is under way.
  func stopLoop() { CFRunLoopStop(loop) }
}
