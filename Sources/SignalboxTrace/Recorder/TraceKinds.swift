// TraceKinds — which steps are recorded.

import SignalboxRuntime

extension TraceRecorder {
  /// Which steps are recorded.
  ///
  /// ``once`` and who wakes a worker are in the recording itself, and in no form that is made of it.
  /// Without ``drains``, ``loops`` and ``once`` a recording holds a longer time.
  ///
  /// *Beyond Apple's API.*
  public struct Kinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Items submitted, started and finished.
    public static let items = Kinds(rawValue: 1)
    /// Closures of `sync`, which run on their callers.
    public static let syncs = Kinds(rawValue: 2)
    /// When a queue is served.
    public static let drains = Kinds(rawValue: 4)
    /// Workers that have nothing to do, and who wakes them.
    public static let workers = Kinds(rawValue: 8)
    /// Waits for locks, queues, groups and all else, and who ends them.
    public static let waits = Kinds(rawValue: 16)
    /// Timers set, cancelled and fired, and how late.
    public static let timers = Kinds(rawValue: 32)
    /// Signals of semaphores.
    public static let semaphores = Kinds(rawValue: 64)
    /// Groups entered and left.
    public static let groups = Kinds(rawValue: 128)
    /// What is done once, asked for.
    public static let once = Kinds(rawValue: 256)
    /// Locks taken and left: also those for which nobody waits, hence many, and dear.
    public static let locks = Kinds(rawValue: 512)
    /// Threads that begin and end.
    public static let threads = Kinds(rawValue: 1024)
    /// The steps of run loops.
    public static let runLoops = Kinds(rawValue: 2048)
    /// Loops of `concurrentPerform`.
    public static let loops = Kinds(rawValue: 4096)
    /// Operations added to queues, started, finished and cancelled.
    public static let operations = Kinds(rawValue: 8192)

    /// All but locks.
    public static let standard: Kinds = [
      .items, .syncs, .drains, .workers, .waits, .timers, .semaphores, .groups, .once, .threads,
      .runLoops, .loops, .operations,
    ]

    /// By the words of `SIGNALBOX_TRACE_KINDS`.
    static let words: [(word: String, kinds: Kinds)] = [
      ("items", .items), ("syncs", .syncs), ("drains", .drains), ("workers", .workers),
      ("waits", .waits), ("timers", .timers), ("semaphores", .semaphores), ("groups", .groups),
      ("once", .once), ("locks", .locks), ("threads", .threads), ("runloops", .runLoops),
      ("loops", .loops), ("operations", .operations),
    ]

    var probes: [ProbeEvent.Kind] {
      let all: [(Kinds, [ProbeEvent.Kind])] = [
        (.items, [.itemSubmitted, .itemStarted, .itemFinished]),
        (.syncs, [.syncEntered, .syncLeft]), (.drains, [.drainBegan, .drainEnded]),
        (.workers, [.workerParked, .workerWoken, .workerUnparked]),
        // Whoever waits at the address of a lock that is gone waits for another one.
        (.waits, [.waitBegan, .waitEnded, .wake, .lockFreed]),
        (.timers, [.timerArmed, .timerCancelled, .timerFired]),
        (.semaphores, [.semaphoreSignalled]), (.groups, [.groupEntered, .groupLeft]),
        (.once, [.onceAsked]), (.locks, [.lockTaken, .lockLeft, .lockFreed]),
        (.threads, [.threadStarted, .threadEnded]), (.runLoops, [.runLoopStep]),
        (.loops, [.loopBegan, .loopEnded]), (.operations, [.operation]),
      ]
      return all.filter { contains($0.0) }.flatMap(\.1)
    }
  }
}
