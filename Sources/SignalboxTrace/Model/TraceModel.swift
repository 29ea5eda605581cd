// TraceModel — what happened in a recording: items, waits, threads and queues.
//
// Everything that shows a trace uses this model. Times are nanoseconds from the
// trace's start. The columns of a table have the same length, and an index
// points into one of the lists. Documentation/Internals/TraceModel.md describes how
// the events become a trace.

package import SignalboxDiagnostics

package struct TraceModel: Sendable, Equatable {
  /// An index into one of the lists, or ``none``.
  package typealias Index = Int32
  /// Nanoseconds from the trace's start, or ``unknown``.
  package typealias Time = Int64

  /// A QoS class as recorded: 1 background … 5 userInteractive; 0 is unknown
  /// and 6 unspecified.
  package typealias Rank = UInt8

  package static let none: Index = -1
  /// The time is unknown or still to come.
  package static let unknown: Time = -1

  package var meta = Meta()
  package var strings: [String] = []
  package var threads: [Thread] = []
  package var queues: [Queue] = []
  package var objects: [Object] = []
  package var items = Items()
  package var tasks = Tasks()
  package var waits = Waits()
  package var parked = Spans()
  package var timers = Timers()
  package var steps = Steps()
  package var passes = ObjectSpans()
  package var holds = ObjectSpans()
  package var marks = Marks()
  package var intervals = Intervals()
  package var operations = Operations()
  package var drains = Drains()
  package var loops = Loops()
  package var turns = GroupTurns()
  package var gaps = Gaps()

  package struct Meta: Sendable, Equatable {
    package var program = ""
    package var processID: UInt32 = 0
    /// The start of the trace on the wall clock, in nanoseconds since 1970.
    package var beganOnTheWall: UInt64 = 0
    /// The start of the trace on the monotonic clock.
    package var beganMonotonic: UInt64 = 0
    package var duration: Time = 0
    package var processors: UInt32 = 0
    package var lostEvents: UInt64 = 0
    package var lostNames: UInt64 = 0
    package var cause = TraceHeader.Cause.notYet
    package var notes: [String] = []
  }

  package struct Thread: Sendable, Equatable {
    package var number: UInt32
    package var name: Index
    package var kernel: UInt64
    package var role: TraceThreadRole
    package var began = unknown
    package var ended = unknown
  }

  package struct Queue: Sendable, Equatable {
    package var label: Index
    package var kind: TraceQueueKind
    package var target = none
    /// Whether the label is the queue's own. If not, the name was lost and the
    /// label says so.
    package var isNamed = true
  }

  package struct Object: Sendable, Equatable {
    package var kind: TraceObjectKind
    package var name: Index
    /// Whether the name describes the object: "the NSLock "canvas"".
    package var isDescribed = false
  }

  /// The properties of an item: bits of ``TraceItemFlags`` and these.
  package struct ItemFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// See `Item.Flags`.
    @inline(__always)
    package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    package static let barrier = ItemFlags(rawValue: 1)
    package static let delayed = ItemFlags(rawValue: 2)
    package static let handler = ItemFlags(rawValue: 4)
    package static let job = ItemFlags(rawValue: 8)
    /// A `sync` closure, which runs on the calling thread.
    package static let sync = ItemFlags(rawValue: 16)
    /// Events were lost between the item's submission and its start. The two
    /// belong together unless another item had the same address in between.
    package static let isLikely = ItemFlags(rawValue: 32)
    /// The item has started or finished, but that event was lost: −1 means
    /// "unknown", not "not yet".
    package static let isTruncated = ItemFlags(rawValue: 64)

    /// The flags of an item among the flags of an event.
    init(recorded flags: UInt8) { rawValue = flags & 15 }
  }

  /// Sorted by the first event of each item.
  package struct Items: Sendable, Equatable {
    package var queue: [Index] = []
    package var submitted: [Time] = []
    package var started: [Time] = []
    package var finished: [Time] = []
    package var submitter: [Index] = []
    package var runner: [Index] = []
    /// The item that the submitting thread was running at the submission.
    package var within: [Index] = []
    package var flags: [ItemFlags] = []
    package var qos: [UInt16] = []
    /// The voluntary and involuntary context switches during the item.
    package var switches: [UInt16] = []
    package var preempted: [UInt32] = []
    /// The text that names the place of submission; `none` if the place was not
    /// recorded.
    package var place: [Index] = []
    /// The task that the item is a job of.
    package var task: [Index] = []

    package var count: Int { queue.count }
  }

  /// Tasks of Swift's runtime whose jobs were submitted, in the order of their first jobs.
  package struct Tasks: Sendable, Equatable {
    /// The lower half of the number that the runtime gave the task: enough for four billion tasks.
    package var number: [UInt32] = []
    /// `none` if the program gave it no name.
    package var name: [Index] = []

    package var count: Int { number.count }
  }

  /// Sorted by beginning, like all tables below.
  package struct Waits: Sendable, Equatable {
    package var thread: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []
    /// What the thread waits for: an object or a queue.
    package var object: [Index] = []
    package var queue: [Index] = []
    package var reason: [Index] = []
    /// The thread that held the object when the wait began.
    package var owner: [Index] = []
    /// The thread that ended the wait.
    package var waker: [Index] = []
    /// The item that waits.
    package var item: [Index] = []
    package var timedOut: [Bool] = []
    /// The text that names the place of the wait; `none` if the place was not
    /// recorded.
    package var place: [Index] = []
    /// The QoS class of the waiting thread: see ``Rank``.
    package var rank: [Rank] = []
    /// The QoS class of the thread waited for: the holder of the object, or
    /// else the waker.
    package var otherRank: [Rank] = []
    /// The item that this other thread was running.
    package var other: [Index] = []

    package var count: Int { thread.count }
  }

  package struct Spans: Sendable, Equatable {
    package var thread: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []

    package var count: Int { thread.count }
  }

  /// Run-loop passes, and locks held.
  package struct ObjectSpans: Sendable, Equatable {
    package var thread: [Index] = []
    package var object: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []

    package var count: Int { thread.count }
  }

  package struct Timers: Sendable, Equatable {
    package var object: [Index] = []
    package var thread: [Index] = []
    package var fired: [Time] = []
    package var due: [Time] = []
    package var late: [Time] = []

    package var count: Int { object.count }
  }

  package struct Steps: Sendable, Equatable {
    package var thread: [Index] = []
    package var at: [Time] = []
    package var step: [UInt64] = []
    package var object: [Index] = []

    package var count: Int { thread.count }
  }

  package struct Marks: Sendable, Equatable {
    package var thread: [Index] = []
    package var at: [Time] = []
    package var text: [Index] = []

    package var count: Int { thread.count }
  }

  /// The program's own intervals.
  package struct Intervals: Sendable, Equatable {
    package var name: [Index] = []
    /// What tells it from others of the same name; `none` if the program did not say.
    package var details: [Index] = []
    /// The recorder's number of the interval.
    package var number: [UInt64] = []
    package var thread: [Index] = []
    package var began: [Time] = []
    /// The thread that ended it.
    package var ender: [Index] = []
    package var ended: [Time] = []
    /// The innermost item in which it began.
    package var item: [Index] = []
    /// The innermost scoped interval of the thread in which it began.
    package var within: [Index] = []
    package var flags: [IntervalFlags] = []

    package var count: Int { name.count }
  }

  package struct IntervalFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// See `Item.Flags`.
    @inline(__always)
    package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    /// It is the call of a closure, so it nests with the other spans of its
    /// thread.
    package static let isScoped = IntervalFlags(rawValue: 1)
    /// The end was lost, or may have been: −1 means "unknown", not "not yet".
    package static let isTruncated = IntervalFlags(rawValue: 2)
  }

  /// The operations of operation queues, sorted by first event.
  package struct Operations: Sendable, Equatable {
    package var object: [Index] = []
    /// When the operation was added to its queue.
    package var queued: [Time] = []
    /// When the last of its dependencies finished.
    package var ready: [Time] = []
    package var started: [Time] = []
    package var finished: [Time] = []
    package var cancelled: [Time] = []
    /// The thread that started it, and the item in which it did so.
    package var thread: [Index] = []
    package var item: [Index] = []

    package var count: Int { object.count }
  }

  /// The spans in which a thread drained a queue.
  package struct Drains: Sendable, Equatable {
    package var thread: [Index] = []
    package var queue: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []

    package var count: Int { thread.count }
  }

  /// Calls of `concurrentPerform`.
  package struct Loops: Sendable, Equatable {
    package var thread: [Index] = []
    package var iterations: [UInt64] = []
    package var began: [Time] = []
    package var ended: [Time] = []
    /// The item that made the call.
    package var item: [Index] = []

    package var count: Int { thread.count }
  }

  /// Entries into and exits from groups, sorted by time.
  package struct GroupTurns: Sendable, Equatable {
    package var object: [Index] = []
    package var thread: [Index] = []
    package var at: [Time] = []
    package var isEntry: [Bool] = []

    package var count: Int { object.count }
  }

  /// The places where a thread's events were lost, each just before `at`.
  package struct Gaps: Sendable, Equatable {
    package var thread: [Index] = []
    package var at: [Time] = []
    package var lost: [UInt64] = []

    package var count: Int { thread.count }
  }
}
