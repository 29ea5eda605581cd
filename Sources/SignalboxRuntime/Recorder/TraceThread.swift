// TraceThread — where one thread's next event goes.
//
// Made at the thread's first event, freed at its end. The chunk that it has open is written
// by this thread alone, and without a lock: the event first, then the chunk's count.
//
// Touching    everything: its own thread. A chunk's count: written by the thread that has
//             the chunk open, read by who copies the recording.
// Ordering    TR1  the releasing store of a chunk's count → the acquiring load of who
//                  copies it: the events that it counts are whole.
// Invariants  I1  `next` == `end`: no event fits any more, or there is no chunk.

import CSignalbox
import Synchronization

struct TraceThread: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<TraceThread>

  private(set) var next: UnsafeMutableRawPointer?
  private(set) var end: UnsafeMutableRawPointer?
  /// The chunk that is open, or was last.
  private(set) var chunk: UnsafeMutableRawPointer?
  /// The recording to which that belongs.
  var session: UInt32 = 0
  /// The chunk's place among all; -1 for none.
  var place: Int32 = -1
  /// How many of this thread's events were lost since its last chunk was opened.
  var lost: UInt64 = 0
  /// When the `sync` was called that this thread is about to enter; 0: not known.
  var syncCalled: UInt64 = 0
  /// On which a crash of this thread is handled; nil where it is not ours.
  private var handlerStack: UnsafeMutableRawPointer?
  /// The items that this thread is in.
  var items = TraceItemStack()
  /// Of which of its steps it is recorded where they were taken.
  var places = TracePlaceSampler()
  /// The objects that it met last.
  var objects = TraceObjectCache()

  /// This thread's, if it has one.
  @inline(__always)
  static var ofThisThread: Pointer? {
    // SAFETY: made by `make`, freed by its own thread.
    csb_thread_self().pointee.trace?.assumingMemoryBound(to: TraceThread.self)
  }

  static func make() -> Pointer {
    let thread = Pointer.allocate(capacity: 1)
    thread.initialize(to: TraceThread())
    thread.pointee.handlerStack = csb_trace_stack_begin()
    csb_thread_self().pointee.trace = UnsafeMutableRawPointer(thread)
    return thread
  }

  /// At the thread's end.
  static func free(_ thread: Pointer) {
    csb_thread_self().pointee.trace = nil
    csb_handler_stack_end(thread.pointee.handlerStack)
    thread.deinitialize(count: 1)
    thread.deallocate()
  }

  /// Writes into this chunk from now on.
  mutating func open(_ chunk: UnsafeMutableRawPointer, size: Int, place: Int32) {
    self.chunk = chunk
    self.place = place
    next = chunk + TraceLayout.chunkHeaderSize
    end = chunk + size
  }

  /// Has no chunk any more.
  mutating func close() {
    place = -1
    next = nil
    end = nil
    chunk = nil
  }

  /// Whether an event fits into the chunk that is open.
  @inline(__always)
  var hasRoom: Bool { UInt(bitPattern: next) != UInt(bitPattern: end) }

  @inline(__always)
  mutating func store(_ event: TraceStep, at time: UInt64) {
    // SAFETY: I1, which whoever calls has looked at; mapped memory, always used as these.
    let place = next.unsafelyUnwrapped
    let words = place.assumingMemoryBound(to: UInt64.self)
    words[0] = time.littleEndian
    words[1] = event.head.littleEndian
    words[2] = event.object.littleEndian
    words[3] = event.detail.littleEndian
    let following = place + TraceLayout.eventSize
    next = following
    let start = chunk.unsafelyUnwrapped
    // The chunk's header is as long as an event.
    let used = UInt(bitPattern: place) &- UInt(bitPattern: start)
    TraceThread.count(of: start).pointee.store(
      UInt32(truncatingIfNeeded: used / UInt(TraceLayout.eventSize)).littleEndian,
      ordering: .releasing)  // order: releasing, TR1
  }

  /// How many events the chunk has that are whole. Any thread, under the recorder's lock.
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

/// An event but for its time.
@frozen @usableFromInline
package struct TraceStep {
  /// The kind, the flags, `a` and `b`, as they stand in memory.
  let head: UInt64
  let object: UInt64
  let detail: UInt64

  @inline(__always)
  init(
    _ kind: TraceKind, flags: UInt8 = 0, a: UInt16 = 0, b: UInt32 = 0, object: UInt64 = 0,
    detail: UInt64 = 0
  ) {
    head = UInt64(kind.rawValue) | UInt64(flags) << 8 | UInt64(a) << 16 | UInt64(b) << 32
    self.object = object
    self.detail = detail
  }
}
