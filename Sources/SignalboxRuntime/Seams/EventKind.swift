// EventKind — the kinds of events that the engine reports, and that a recording contains.
//
// A raw value never changes, because builds other than the one that wrote a recording must be able
// to read it. No kind is 0, because unwritten memory contains 0. The mask has 32 bits, and all are
// taken: kinds 1 to 31, and `Probe.checkBit`. So a further kind needs a wider mask.

/// The kind of an event. Each case says how a recorded event uses `object`, `detail`, `a`, `b` and
/// the flags.
@frozen @usableFromInline
package enum EventKind: UInt8, Sendable, CaseIterable {
  /// `object`: the queue's id; `detail`: the item's address, which another item
  /// may reuse as soon as this one has started (an end always belongs to the
  /// innermost item of its thread); flags: `TraceItemFlags`; `a`: the QoS
  /// class (0 unknown, 1 background … 5 userInteractive, 6 none given); `b`: for
  /// a job, the number of its task, or 0 if it belongs to none.
  case itemSubmitted = 1
  /// `object`: the queue's id; `detail`: the item's address; `a`: the QoS class
  /// at which the thread runs the item, numbered as in `itemSubmitted`; flags:
  /// whether it is a drain task.
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
  /// `object`: an object's id or, with `TraceWaitFlags.isQueue`, a queue's
  /// id; `a`: the reason as a `WaitReason` raw value; `b`: the owner's thread
  /// number, or 0 if it has no owner; `detail`: 1 with a deadline; flags: also
  /// the thread's QoS class (`TraceWaitFlags.firstBitOfClass`).
  case waitBegan = 11
  /// `object`: as in `waitBegan`; flags: also `TraceWaitFlags.timedOut`; `b`:
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
  /// A mark that the program set. `detail`: the id of its text; flags: with
  /// `TraceMarkFlags` it begins or ends an interval. Then `detail` is the id of the
  /// interval's name; `object`: the interval's number; `b`: at its beginning,
  /// the id of the text that describes it, or 0.
  case mark = 28
  /// `object`: the operation's id; `a`: 0 enqueued, 1 ready, 2 started, 3 finished, 4 cancelled.
  case operation = 29
  /// The place in the program where this thread recorded its preceding event.
  /// `a`: the kind of that event, a `TracePlaceOf` raw value; `detail`: the
  /// id of the text that names the place. With `TracePlaceOf.task` the event gives
  /// no place, but the name of the task whose job was submitted: `object`: the id
  /// of the object with that name.
  case place = 30
  /// A semaphore's count was taken. Not recorded.
  case semaphoreTaken = 31

  /// The bit of this kind in the masks. No kind has the first bit; see `Probe.checkBit`.
  @inlinable package var bit: UInt32 { 1 &<< UInt32(rawValue) }

  /// The bits of several kinds.
  package static func bits(of kinds: [EventKind]) -> UInt32 { kinds.reduce(0) { $0 | $1.bit } }
}
