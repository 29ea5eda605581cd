// TraceThread — where one thread's next event goes.
//
// Created at the thread's first event, freed at its end. Only this thread writes
// into its open chunk, without a lock: first the event, then the chunk's count.
//
// Touching    everything: its own thread. A chunk's count: written by the thread
//             that has the chunk open, read by a thread that copies the recording.
// Ordering    TR1  the releasing store of a chunk's count → the acquiring load of
//                  the thread that copies it: the counted events are complete.
// Invariants  I1  `next` == `end`: no further event fits, or there is no chunk.

import CSignalbox
import SignalboxRuntime
import Synchronization

struct TraceThread: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<TraceThread>

  private(set) var next: UnsafeMutableRawPointer?
  private(set) var end: UnsafeMutableRawPointer?
  /// The open chunk; nil if there is none.
  private(set) var chunk: UnsafeMutableRawPointer?
  /// The recording to which the chunk belongs.
  var session: UInt32 = 0
  /// The index of the open chunk among all chunks; -1 for none.
  var chunkIndex: Int32 = -1
  /// How many events this thread has recorded or lost before its open chunk; while it has none, so far.
  private(set) var before: UInt64 = 0
  /// When the `sync` that this thread is about to enter was called; 0 if
  /// unknown.
  var syncCalled: UInt64 = 0
  /// The wait that this thread is in. Waits do not nest: a thread that sleeps runs nothing else.
  var wait = TraceWait.none
  /// The stack for this thread's crash handler; nil if the stack is not ours.
  private var handlerStack: UnsafeMutableRawPointer?
  /// The items that this thread is running.
  var items = TraceItemStack()
  /// Decides for which events the place is recorded.
  var places = TracePlaceSampler()
  /// The objects that it used last.
  var objects = TraceObjectCache()

  /// The record of this thread, if it has one.
  @inline(__always)
  static var ofThisThread: Pointer? {
    // SAFETY: `make` stores this type, and only the thread itself frees it.
    csb_thread_self().pointee.trace?.assumingMemoryBound(to: TraceThread.self)
  }

  static func make() -> Pointer {
    let thread = Pointer.allocate(capacity: 1)
    thread.initialize(to: TraceThread())
    thread.pointee.handlerStack = csb_trace_stack_begin()
    csb_thread_self().pointee.trace = UnsafeMutableRawPointer(thread)
    return thread
  }

  /// Call when the thread ends.
  static func free(_ thread: Pointer) {
    csb_thread_self().pointee.trace = nil
    csb_handler_stack_end(thread.pointee.handlerStack)
    thread.deinitialize(count: 1)
    thread.deallocate()
  }

  /// Starts to write into this chunk.
  mutating func open(_ chunk: UnsafeMutableRawPointer, size: Int, index: Int32) {
    self.chunk = chunk
    chunkIndex = index
    next = chunk + TraceLayout.chunkHeaderSize
    end = chunk + size
  }

  /// Begins to record for this recording. The memory of the previous recording may be gone.
  mutating func begin(_ session: UInt32) {
    leaveChunk()
    before = 0
    items.reset()
    self.session = session
  }

  /// Counts an event for which there was no chunk.
  mutating func lose() { before += 1 }

  /// Gives the chunk up.
  mutating func close() {
    if let chunk { before += UInt64(TraceThread.publishedCount(of: chunk)) }
    leaveChunk()
  }

  private mutating func leaveChunk() {
    chunkIndex = -1
    next = nil
    end = nil
    chunk = nil
  }

  /// Whether another event fits into the open chunk.
  @inline(__always)
  var hasRoom: Bool { UInt(bitPattern: next) != UInt(bitPattern: end) }

  @inline(__always)
  mutating func store(_ event: TraceStep, at time: UInt64) {
    // SAFETY: I1, which the caller has checked; mapped memory that is only ever
    // used as 64-bit words.
    let address = next.unsafelyUnwrapped
    let words = address.assumingMemoryBound(to: UInt64.self)
    words[0] = time.littleEndian
    words[1] = event.head.littleEndian
    words[2] = event.object.littleEndian
    words[3] = event.detail.littleEndian
    next = address + TraceLayout.eventSize
    let start = chunk.unsafelyUnwrapped
    // The chunk's header is as long as an event.
    let used = UInt(bitPattern: address) &- UInt(bitPattern: start)
    TraceThread.count(of: start).pointee.store(
      UInt32(truncatingIfNeeded: used / UInt(TraceLayout.eventSize)).littleEndian,
      ordering: .releasing)  // order: releasing, TR1
  }

  /// How many complete events the chunk holds. Any thread may call this under
  /// the recorder's lock.
  static func publishedCount(of chunk: UnsafeMutableRawPointer) -> UInt32 {
    // order: acquiring, TR1
    UInt32(littleEndian: count(of: chunk).pointee.load(ordering: .acquiring))
  }

  static func count(
    of chunk: UnsafeMutableRawPointer
  ) -> UnsafeMutablePointer<Atomic<UInt32>> {
    // SAFETY: a word of mapped memory that is only ever used as this.
    (chunk + TraceLayout.Chunk.count).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}

/// An event without its time.
@frozen @usableFromInline
package struct TraceStep {
  /// The kind, the flags, `a` and `b`, packed as in memory.
  let head: UInt64
  let object: UInt64
  let detail: UInt64

  @inline(__always)
  init(
    _ kind: EventKind, flags: UInt8 = 0, a: UInt16 = 0, b: UInt32 = 0, object: UInt64 = 0,
    detail: UInt64 = 0
  ) {
    head = UInt64(kind.rawValue) | UInt64(flags) << 8 | UInt64(a) << 16 | UInt64(b) << 32
    self.object = object
    self.detail = detail
  }
}
