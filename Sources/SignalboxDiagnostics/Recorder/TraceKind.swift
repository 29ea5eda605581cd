// TraceKind — the number that identifies an event's kind in trace files.
//
// A raw value never changes, and new kinds are appended: builds other than the
// one that wrote a file must be able to read it.

/// The kind of a recorded event. Each case documents its use of `object`,
/// `detail`, `a`, `b` and the flags.
package enum TraceKind: UInt8, Sendable, CaseIterable {
  /// `object`: the queue's id; `detail`: the item's address, which another item
  /// may reuse as soon as this one has started (an end always belongs to the
  /// innermost item of its thread); flags: ``TraceItemFlags``; `a`: the QoS
  /// class (0 unknown, 1 background … 5 userInteractive, 6 none given).
  case itemSubmitted = 1
  /// `object`: the queue's id; `detail`: the item's address; `a`: the QoS class
  /// at which the thread runs the item, numbered as in `itemSubmitted`; flags:
  /// whether it is an invitation.
  case itemStarted = 2
  /// Fields as in `itemStarted`, except `a` and `b`: the voluntary and
  /// involuntary context switches during the item.
  case itemFinished = 3
  /// A `sync` closure begins on the calling thread. `object`: the queue's id;
  /// `detail`: when `sync` was called, in monotonic nanoseconds, or 0 if
  /// unknown; flags: the barrier bit.
  case syncEntered = 4
  /// `object`: the queue's id.
  case syncLeft = 5
  /// `object`: the queue's id.
  case drainBegan = 6
  /// `object`: the queue's id.
  case drainEnded = 7
  /// A worker parks because it has no work.
  case workerParked = 8
  /// `b`: the thread number of the worker that this thread wakes.
  case workerWoken = 9
  /// A worker resumes. The worker itself records this event.
  case workerUnparked = 10
  /// `object`: an object's id or, with ``TraceWaitFlags/isQueue``, a queue's
  /// id; `a`: the reason as a `WaitReason` raw value; `b`: the owner's thread
  /// number, or 0 if it has no owner; `detail`: 1 with a deadline; flags: also
  /// the thread's QoS class (``TraceWaitFlags/firstBitOfClass``).
  case waitBegan = 11
  /// `object`: as in `waitBegan`; flags: also ``TraceWaitFlags/timedOut``; `b`:
  /// the waker's thread number, or 0 if unknown.
  case waitEnded = 12
  /// `object`: the object that the woken thread waits for. The waking thread
  /// records this event.
  case wake = 13
  /// `object`: the timer's id; `detail`: its deadline in monotonic nanoseconds,
  /// or 0 if unknown.
  case timerArmed = 14
  /// `object`: the timer's id.
  case timerCancelled = 15
  /// `object`: the timer's id; `detail`: how late the timer fired, in
  /// nanoseconds.
  case timerFired = 16
  /// `object`: the semaphore's id.
  case semaphoreSignalled = 17
  /// `object`: the group's id.
  case groupEntered = 18
  /// `object`: the group's id.
  case groupLeft = 19
  /// `object`: the id of the once object.
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
  /// `detail`: the iteration count of `concurrentPerform`.
  case loopBegan = 26
  /// `detail`: as in `loopBegan`.
  case loopEnded = 27
  /// A mark that the program set. `detail`: the id of its text.
  case mark = 28
  /// `object`: the operation's id; `a`: 0 enqueued, 1 ready, 2 started, 3 finished, 4 cancelled.
  case operation = 29
  /// The place in the program where this thread recorded its preceding event.
  /// `a`: the kind of that event, a ``TracePlaceOf`` raw value; `detail`: the
  /// id of the text that names the place.
  case place = 30
}

/// The kind of event to which a place belongs: `a` of a `place` event.
package enum TracePlaceOf: UInt16, Sendable, CaseIterable {
  case submission = 0
  case sync = 1
  case waitBegan = 2
  case waitEnded = 3
}

/// Properties of an item, as bits of an event's flags.
package struct TraceItemFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// See `Item.Flags`.
  @inline(__always)
  package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

  package static var barrier: TraceItemFlags { TraceItemFlags(rawValue: 1) }
  /// Submitted with `asyncAfter`.
  package static var delayed: TraceItemFlags { TraceItemFlags(rawValue: 2) }
  /// The handler of a source or timer.
  package static var handler: TraceItemFlags { TraceItemFlags(rawValue: 4) }
  /// A job of Swift concurrency.
  package static var job: TraceItemFlags { TraceItemFlags(rawValue: 8) }
  /// A scheduling request rather than work: another queue asks this one, its
  /// target, to drain it.
  package static var invitation: TraceItemFlags { TraceItemFlags(rawValue: 16) }
}

/// Properties of a wait, as bits of an event's flags.
package struct TraceWaitFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// See `Item.Flags`.
  @inline(__always)
  package func contains(_ flags: Self) -> Bool { rawValue & flags.rawValue == flags.rawValue }

  /// The event's `object` is a queue's id.
  package static var isQueue: TraceWaitFlags { TraceWaitFlags(rawValue: 1) }
  package static var timedOut: TraceWaitFlags { TraceWaitFlags(rawValue: 2) }
  /// From this bit on, the flags hold the QoS class of the thread that begins
  /// to wait, numbered as in ``TraceKind/itemSubmitted``.
  package static let firstBitOfClass: UInt8 = 4
}
