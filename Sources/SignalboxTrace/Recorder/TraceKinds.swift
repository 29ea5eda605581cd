// TraceKinds — the kinds of events that a recording contains.

import SignalboxRuntime

extension TraceRecorder {
  /// The kinds of events to record.
  ///
  /// The events of ``once`` and of waking workers are only in the recording
  /// itself, not in the formats made from it. A recording without ``drains``,
  /// ``loops`` and ``once`` covers a longer time.
  ///
  /// *Beyond Apple's API.*
  public struct Kinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Submissions, starts and ends of items.
    public static let items = Kinds(rawValue: 1)
    /// Closures of `sync`, which run on the calling thread.
    public static let syncs = Kinds(rawValue: 2)
    /// When a queue is drained.
    public static let drains = Kinds(rawValue: 4)
    /// When workers park for want of work, and which thread wakes them.
    public static let workers = Kinds(rawValue: 8)
    /// Waits for locks, queues, groups and other objects, and which thread ends
    /// them.
    public static let waits = Kinds(rawValue: 16)
    /// When timers are set, cancelled and fired, and how late.
    public static let timers = Kinds(rawValue: 32)
    /// Signals of semaphores.
    public static let semaphores = Kinds(rawValue: 64)
    /// When groups are entered and left.
    public static let groups = Kinds(rawValue: 128)
    /// Calls of once objects.
    public static let once = Kinds(rawValue: 256)
    /// When locks are locked and unlocked, also without contention: frequent,
    /// and therefore expensive.
    public static let locks = Kinds(rawValue: 512)
    /// When threads begin and end.
    public static let threads = Kinds(rawValue: 1024)
    /// The steps of run loops.
    public static let runLoops = Kinds(rawValue: 2048)
    /// Loops of `concurrentPerform`.
    public static let loops = Kinds(rawValue: 4096)
    /// When operations are added to queues, started, finished and cancelled.
    public static let operations = Kinds(rawValue: 8192)

    /// All kinds except locks.
    public static let standard: Kinds = [
      .items, .syncs, .drains, .workers, .waits, .timers, .semaphores, .groups, .once, .threads,
      .runLoops, .loops, .operations,
    ]

    /// The kinds by their words in `SIGNALBOX_TRACE_KINDS`.
    static let words: [(word: String, kinds: Kinds)] = [
      ("items", .items), ("syncs", .syncs), ("drains", .drains), ("workers", .workers),
      ("waits", .waits), ("timers", .timers), ("semaphores", .semaphores), ("groups", .groups),
      ("once", .once), ("locks", .locks), ("threads", .threads), ("runloops", .runLoops),
      ("loops", .loops), ("operations", .operations),
    ]

    var probes: [EventKind] {
      let all: [(Kinds, [EventKind])] = [
        (.items, [.itemSubmitted, .itemStarted, .itemFinished]),
        (.syncs, [.syncEntered, .syncLeft]), (.drains, [.drainBegan, .drainEnded]),
        (.workers, [.workerParked, .workerWoken, .workerUnparked]),
        (.waits, [.waitBegan, .waitEnded, .wake]),
        (.timers, [.timerArmed, .timerCancelled, .timerFired]),
        (.semaphores, [.semaphoreSignalled]), (.groups, [.groupEntered, .groupLeft]),
        (.once, [.onceAsked]), (.locks, [.lockTaken, .lockLeft]),
        (.threads, [.threadStarted, .threadEnded]), (.runLoops, [.runLoopStep]),
        (.loops, [.loopBegan, .loopEnded]), (.operations, [.operation]),
      ]
      return all.filter { contains($0.0) }.flatMap(\.1)
    }
  }
}
