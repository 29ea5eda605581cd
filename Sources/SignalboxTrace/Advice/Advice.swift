// Advice — a common mistake, where the program makes it, and what to do
// instead.

import SignalboxRuntime

/// Describes one of the common mistakes with queues that a program made while
/// it was recorded: which mistake, on which queue, how often, where in the
/// program, and what to do instead.
///
/// ```
/// SIGNALBOX_ADVICE=1 ./program
/// ```
///
/// prints advice while the program runs and at its end, without a change to the
/// program. ``TraceRecorder/advice()`` returns it at any time.
/// `Documentation/Internals/Advice.md` lists the rules and their thresholds.
///
/// *Beyond Apple's API.*
public struct Advice: Sendable, Hashable, CustomStringConvertible {
  /// The mistakes that the recorder recognizes.
  ///
  /// *Beyond Apple's API.*
  public enum Kind: String, Sendable, CaseIterable {
    /// A queue that serves only as a lock around short sections.
    case queueAsLock
    /// Items that run for less time than their hand-off takes.
    case shortItems
    /// Workers that block, so that the pool has to start others.
    case blockedWorkers
    /// Many items that wait in one queue, all from one producer.
    case deepQueue
    /// The main thread blocks, and the main queue waits with it.
    case mainThreadWait
    /// A thread with a higher quality of service waits for work with a lower
    /// one.
    case priorityInversion
  }

  /// A place in the program.
  ///
  /// *Beyond Apple's API.*
  public struct Place: Sendable, Hashable {
    /// The program's function that called this package. If no function has a
    /// name, the file and offset of the call and of its callers.
    public let function: String
    /// How many of the sampled events happened there.
    public let count: Int
  }

  /// The kind of mistake.
  public let kind: Kind
  /// The label of the queue concerned, or empty if the advice concerns no
  /// queue.
  public let queue: String
  /// The name of the thread concerned, or empty if the advice concerns no
  /// thread.
  public let thread: String
  /// The number of calls, items, workers or waits, as ``finding`` explains.
  public let count: Int
  /// The time that the mistake has cost in total, in nanoseconds.
  public let nanoseconds: Int64
  /// What the recording shows, in one sentence.
  public let finding: String
  /// What to do instead, in one sentence.
  public let remedy: String
  /// Up to three places where the mistake was made, most frequent first. Empty
  /// if the recording has no places, or if only functions of this package were
  /// on the stack, as for timers.
  public let places: [Place]

  /// The advice as text: the mistake and the finding, a line for each place,
  /// the remedy.
  public var text: String {
    var lines = ["\(kind.words): \(TerminalText.escaped(finding))"]
    for place in places {
      lines.append(
        "  at \(TerminalText.escaped(place.function)) (\(counted(place.count, "sample")))")
    }
    lines.append("  instead: \(remedy)")
    return lines.joined(separator: "\n")
  }

  public var description: String { text }
}

extension Advice.Kind {
  /// The heading of the advice.
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
