// TraceStory — what happened, told by who did it: items, waits, threads, queues.
//
// One shape serves everything that shows a trace. Times are nanoseconds from the story's
// start; columns of one table have the same length; an index points into one of the lists.
// How the events become this is in Documentation/Internals/Story.md.

package import SignalboxRuntime

package struct TraceStory: Sendable, Equatable {
  /// A place in one of the lists, or ``none``.
  package typealias Index = Int32
  /// Nanoseconds from the story's start, or ``unknown``.
  package typealias Time = Int64

  /// A class of service, as it is recorded: 1 background … 5 userInteractive; 0 and 6 say
  /// nothing.
  package typealias Rank = UInt8

  package static let none: Index = -1
  /// Not known, or not yet.
  package static let unknown: Time = -1

  package var meta = Meta()
  package var strings: [String] = []
  package var threads: [Thread] = []
  package var queues: [Queue] = []
  package var objects: [Object] = []
  package var items = Items()
  package var waits = Waits()
  package var parked = Spans()
  package var timers = Timers()
  package var steps = Steps()
  package var passes = ObjectSpans()
  package var holds = ObjectSpans()
  package var marks = Marks()
  package var operations = Operations()
  package var drains = Drains()
  package var loops = Loops()
  package var turns = GroupTurns()
  package var gaps = Gaps()

  package struct Meta: Sendable, Equatable {
    package var program = ""
    package var processID: UInt32 = 0
    /// The story's start by the clock on the wall: nanoseconds since 1970.
    package var beganOnTheWall: UInt64 = 0
    /// The story's start by the monotonic clock.
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
    /// Whether the label is its own; else the queue's name was lost, and the label says so.
    package var isNamed = true
  }

  package struct Object: Sendable, Equatable {
    package var kind: TraceObjectKind
    package var name: Index
    /// Whether the name says what the object is: "the NSLock "canvas"".
    package var isDescribed = false
  }

  /// What an item is: the bits of ``TraceItemFlags``, and these.
  package struct ItemFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let barrier = ItemFlags(rawValue: 1)
    package static let delayed = ItemFlags(rawValue: 2)
    package static let handler = ItemFlags(rawValue: 4)
    package static let job = ItemFlags(rawValue: 8)
    /// The closure of a `sync`, on its caller.
    package static let sync = ItemFlags(rawValue: 16)
    /// Events were lost between its submission and its start: they belong together if no
    /// other item had its address meanwhile.
    package static let isLikely = ItemFlags(rawValue: 32)
    /// It has started or finished, but that was lost: a −1 means "unknown", not "not yet".
    package static let isCut = ItemFlags(rawValue: 64)

    static let recorded: ItemFlags = [.barrier, .delayed, .handler, .job]
  }

  /// In the order in which they were first heard of.
  package struct Items: Sendable, Equatable {
    package var queue: [Index] = []
    package var submitted: [Time] = []
    package var started: [Time] = []
    package var finished: [Time] = []
    package var submitter: [Index] = []
    package var runner: [Index] = []
    /// The item that ran on the submitter when it submitted this one.
    package var within: [Index] = []
    package var flags: [ItemFlags] = []
    package var qos: [UInt16] = []
    /// Context switches in it: those of its own will, and the others.
    package var switches: [UInt16] = []
    package var preempted: [UInt32] = []
    /// The text that says where it was submitted; `none` where that is not recorded.
    package var place: [Index] = []

    package var count: Int { queue.count }
  }

  /// In the order of their beginnings, as all that follow.
  package struct Waits: Sendable, Equatable {
    package var thread: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []
    /// What it waits for: an object, or else a queue.
    package var object: [Index] = []
    package var queue: [Index] = []
    package var reason: [Index] = []
    /// Who held it when the wait began.
    package var owner: [Index] = []
    /// Whose step ended it.
    package var waker: [Index] = []
    /// The item that waits.
    package var item: [Index] = []
    package var timedOut: [Bool] = []
    /// The text that says where it waits; `none` where that is not recorded.
    package var place: [Index] = []
    /// The class of service of the thread that waits: see ``Rank``.
    package var rank: [Rank] = []
    /// The class of the one it waits for: of who held the object, or else of who ended the wait.
    package var otherRank: [Rank] = []
    /// The item in which that one was.
    package var other: [Index] = []

    package var count: Int { thread.count }
  }

  package struct Spans: Sendable, Equatable {
    package var thread: [Index] = []
    package var began: [Time] = []
    package var ended: [Time] = []

    package var count: Int { thread.count }
  }

  /// Passes of run loops; locks held.
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

  /// Operations of operation queues, in the order in which they were heard of.
  package struct Operations: Sendable, Equatable {
    package var object: [Index] = []
    /// When it came into its queue.
    package var queued: [Time] = []
    /// When the last of its dependencies had ended.
    package var ready: [Time] = []
    package var started: [Time] = []
    package var finished: [Time] = []
    package var cancelled: [Time] = []
    /// Who started it, and the item within which it did.
    package var thread: [Index] = []
    package var item: [Index] = []

    package var count: Int { object.count }
  }

  /// When a thread served a queue.
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
    /// The item that called it.
    package var item: [Index] = []

    package var count: Int { thread.count }
  }

  /// Groups entered and left, in time.
  package struct GroupTurns: Sendable, Equatable {
    package var object: [Index] = []
    package var thread: [Index] = []
    package var at: [Time] = []
    package var isEntry: [Bool] = []

    package var count: Int { object.count }
  }

  /// Where a thread's events were lost: just before `at`.
  package struct Gaps: Sendable, Equatable {
    package var thread: [Index] = []
    package var at: [Time] = []
    package var lost: [UInt64] = []

    package var count: Int { thread.count }
  }
}
