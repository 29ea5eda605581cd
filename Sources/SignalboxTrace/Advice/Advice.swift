// Advice — a classic mistake, where it was made, and what to do instead.

import SignalboxRuntime

/// Says that a program made one of the classic mistakes with queues while it was recorded: which
/// one, on which queue, how often, where in the program, and what to do instead.
///
/// ```
/// SIGNALBOX_ADVICE=1 ./program
/// ```
///
/// says so while it runs and at its end, without a change to it; ``TraceRecorder/advice()`` whenever it is
/// asked. The rules and their thresholds stand in `Documentation/Internals/Advice.md`.
///
/// *Beyond Apple's API.*
public struct Advice: Sendable, Hashable, CustomStringConvertible {
  /// The mistakes that are known.
  ///
  /// *Beyond Apple's API.*
  public enum Kind: String, Sendable, CaseIterable {
    /// A queue that only keeps threads apart for short sections.
    case queueAsLock
    /// Items that run for less time than it takes to hand them over.
    case shortItems
    /// Workers that wait, so that the pool has to call up others.
    case blockedWorkers
    /// Many items that wait in one queue, all of one producer.
    case deepQueue
    /// The main thread waits for something, and its queue stands still.
    case mainThreadWait
    /// A thread of a higher class of service waits for work of a lower one.
    case priorityInversion
  }

  /// A place in the program.
  ///
  /// *Beyond Apple's API.*
  public struct Place: Sendable, Hashable {
    /// The program's function that called this package; its file and the offset in it, and those
    /// of its callers, where no function has a name.
    public let function: String
    /// How many of the steps that were looked at were taken there.
    public let count: Int
  }

  /// Which mistake it is.
  public let kind: Kind
  /// The label of the queue that it is about; empty if it is about none.
  public let queue: String
  /// The name of the thread that it is about; empty if it is about none.
  public let thread: String
  /// How often: calls, items, workers or waits, as ``finding`` says.
  public let count: Int
  /// For how long altogether, in nanoseconds: the time that the mistake has cost.
  public let nanoseconds: Int64
  /// What was seen, in a sentence.
  public let finding: String
  /// What to do instead, in a sentence.
  public let remedy: String
  /// Where it came from, the most frequent first, three at most. Empty where places were not
  /// recorded, and where only this package's own functions were on the stack, as for timers.
  public let places: [Place]

  /// All of it for people: the mistake and the finding, a line for each place, the remedy.
  public var text: String {
    var lines = ["\(kind.words): \(TerminalText.tame(finding))"]
    for place in places {
      lines.append("  at \(TerminalText.tame(place.function)) (\(counted(place.count, "sample")))")
    }
    lines.append("  instead: \(remedy)")
    return lines.joined(separator: "\n")
  }

  public var description: String { text }
}

extension Advice.Kind {
  /// As a heading.
  var words: String {
    switch self {
    case .queueAsLock: "a queue used as a lock"
    case .shortItems: "items shorter than their hand-off"
    case .blockedWorkers: "blocked workers"
    case .deepQueue: "a deep queue with one producer"
    case .mainThreadWait: "a wait on the main thread"
    case .priorityInversion: "priority inversion"
    }
  }
}
