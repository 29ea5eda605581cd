// TraceKind — what an event of a trace tells, as a number that stands in files.
//
// A raw value is fixed for ever, and new kinds are appended: a file is read by other
// builds than the one that wrote it.

/// The kind of one recorded event. What `object`, `detail`, `a`, `b` and the flags mean is said
/// at each.
package enum TraceKind: UInt8, Sendable, CaseIterable {
  /// `object`: the queue's id; `detail`: the item's address, which may be another item's as soon
  /// as this one has started (who ends is the innermost item of its thread); flags:
  /// ``TraceItemFlags``; `a`: the class of service (0 unknown, 1 background … 5
  /// userInteractive, 6 none given).
  case itemSubmitted = 1
  /// `object`: the queue's id; `detail`: the item's address; `a`: the class of service at which
  /// the thread runs it, as of `itemSubmitted`; flags: whether it is an invitation.
  case itemStarted = 2
  /// As `itemStarted`; `a` and `b`: the voluntary and involuntary context switches in it.
  case itemFinished = 3
  /// The closure of a `sync` begins on its caller. `object`: the queue's id; `detail`: when
  /// `sync` was called, in monotonic nanoseconds, 0 if unknown; flags: the barrier's bit.
  case syncEntered = 4
  /// `object`: the queue's id.
  case syncLeft = 5
  /// `object`: the queue's id.
  case drainBegan = 6
  /// `object`: the queue's id.
  case drainEnded = 7
  /// A worker has nothing to do.
  case workerParked = 8
  /// `b`: the number of the worker that this thread has woken.
  case workerWoken = 9
  /// A worker goes on, told by itself.
  case workerUnparked = 10
  /// `object`: an object's or, with ``TraceWaitFlags/isQueue``, a queue's id; `a`: the reason,
  /// as `WaitReason` numbers it; `b`: the owner's thread number, 0 for nobody; `detail`: 1 with
  /// a deadline; flags: the thread's class of service too (``TraceWaitFlags/firstBitOfClass``).
  case waitBegan = 11
  /// The same object; flags also ``TraceWaitFlags/timedOut``; `b`: the waker's thread number, 0
  /// if unknown.
  case waitEnded = 12
  /// `object`: what its waiter waits for. The waker tells it.
  case wake = 13
  /// `object`: the timer's id; `detail`: when it is due, in monotonic nanoseconds, 0 if unknown.
  case timerArmed = 14
  /// `object`: the timer's id.
  case timerCancelled = 15
  /// `object`: the timer's id; `detail`: how late it is, in nanoseconds.
  case timerFired = 16
  /// `object`: the semaphore's id.
  case semaphoreSignalled = 17
  /// `object`: the group's id.
  case groupEntered = 18
  /// `object`: the group's id.
  case groupLeft = 19
  /// `object`: the id of the once.
  case onceAsked = 20
  /// `object`: the lock's id.
  case lockTaken = 21
  /// `object`: the lock's id.
  case lockLeft = 22
  /// This thread begins.
  case threadStarted = 23
  /// This thread ends.
  case threadEnded = 24
  /// `object`: the run loop's id; `detail`: the step's number.
  case runLoopStep = 25
  /// `detail`: how many iterations `concurrentPerform` has.
  case loopBegan = 26
  /// `detail`: as above.
  case loopEnded = 27
  /// The program's own mark. `detail`: its text's id.
  case mark = 28
  /// `object`: the operation's id; `a`: 0 enqueued, 1 ready, 2 started, 3 finished, 4 cancelled.
  case operation = 29
  /// Where in the program this thread took the step that it recorded just before. `a`: which
  /// one, as ``TracePlaceOf`` says; `detail`: the id of the text that names the place.
  case place = 30
}

/// Whose place it is: `a` of a place's event.
package enum TracePlaceOf: UInt16, Sendable, CaseIterable {
  case submission = 0
  case sync = 1
  case waitBegan = 2
  case waitEnded = 3
}

/// How far an operation has come: `a` of its events.
package enum TraceOperationStep: UInt16, Sendable, CaseIterable {
  case enqueued = 0
  case ready = 1
  case started = 2
  case finished = 3
  case cancelled = 4
}

/// What an item is, as bits of an event's flags.
package struct TraceItemFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static var barrier: TraceItemFlags { TraceItemFlags(rawValue: 1) }
  /// Of `asyncAfter`.
  package static var delayed: TraceItemFlags { TraceItemFlags(rawValue: 2) }
  /// A source's or timer's handler.
  package static var handler: TraceItemFlags { TraceItemFlags(rawValue: 4) }
  /// A job of Swift concurrency.
  package static var job: TraceItemFlags { TraceItemFlags(rawValue: 8) }
  /// No work, but another queue that asks this one, its target, to be served.
  package static var invitation: TraceItemFlags { TraceItemFlags(rawValue: 16) }
}

/// What a wait is, as bits of an event's flags.
package struct TraceWaitFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The event's `object` is a queue's id.
  package static var isQueue: TraceWaitFlags { TraceWaitFlags(rawValue: 1) }
  package static var timedOut: TraceWaitFlags { TraceWaitFlags(rawValue: 2) }
  /// From this bit on stands the class of service of the thread that begins to wait, as of
  /// ``TraceKind/itemSubmitted``.
  package static let firstBitOfClass: UInt8 = 4
}
