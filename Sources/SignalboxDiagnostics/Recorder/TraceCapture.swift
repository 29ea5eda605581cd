// TraceCapture — the recorder: writes events into chunks and names beside them.
//
// Fast path   an event is five stores into the chunk that the thread has open.
// Slow path   takes the lock: a thread's first event, a full chunk, a name; and the events of
//             waits, wakes, locks, timers, operations and run loops.
//
// States      off → on → off, with the image kept → on …
// Touching    `recording`, `lastSession`, `lastQueue`: under `lock`. `spare`: any
//             thread, a hint. The words of `trace.h` say whether a recording is
//             on and what it records.
// Ordering    see `TraceThread`; EL1 covers the rest.
// Invariants  I1  code that holds `lock` takes no other lock and runs none of the
//                 program's code.
// Rejected    One ring for all threads: threads contend for its index.
//             One ring for each thread: a thousand threads that each record
//             little use up all memory.

import CSignalbox
package import SignalboxRuntime
import Synchronization

package final class TraceCapture: @unchecked Sendable {  // SAFETY: see Touching.
  package static let shared = TraceCapture()

  /// The configuration of a recording.
  package struct Settings {
    package var chunkBytes: Int
    package var namesBytes: Int
    package var kinds: [EventKind]
    /// Whether to record a queue's items, given its label; nil records all.
    package var includes: (@Sendable (String) -> Bool)?
    /// Whether to record places in the program.
    package var places: Bool

    package init(
      chunkBytes: Int, namesBytes: Int, kinds: [EventKind],
      includes: (@Sendable (String) -> Bool)?, places: Bool = false
    ) {
      self.chunkBytes = chunkBytes
      self.namesBytes = namesBytes
      self.kinds = kinds
      self.includes = includes
      self.places = places
    }
  }

  /// The state of a recording.
  struct Recording {
    let memory: TraceMemory
    var chunks: TraceChunks
    var names: TraceNames
    var objects = TraceObjects()
    var sleepers = TraceSleepers()
    var places = TracePlaces()
    /// Text numbers up to this one are the reasons of waits.
    static var lastReason: UInt64 { 255 }
    var lastText = Recording.lastReason
    /// The number of each interval's name, by the name's address.
    var intervalNames: [UInt: UInt64] = [:]
    /// The number of the last interval that began.
    var lastInterval: UInt64 = 0
    /// Freed queues and ended threads. Their names are needed only while events
    /// refer to them.
    var goneQueues: TraceNumbers
    var goneThreads = TraceNumbers()
    /// The chunk sequence number from which the names' region may be compacted
    /// again.
    var nextRoom: UInt64 = 0
    let includes: (@Sendable (String) -> Bool)?
    /// The bits of the recorded kinds.
    let kinds: UInt32
    var isOn = true
    /// Whether it was on when this process was forked: then it is the parent's.
    var isOfParent = false

    /// - Parameter lastQueue: the last queue number given out before this
    ///   recording.
    init(_ memory: TraceMemory, _ settings: Settings, lastQueue: UInt32) {
      self.memory = memory
      goneQueues = TraceNumbers(above: UInt64(lastQueue))
      chunks = TraceChunks(memory)
      names = TraceNames(memory)
      includes = settings.includes
      kinds = EventKind.bits(of: settings.kinds)
    }
  }

  let lock = EngineLock()
  var recording: Recording?
  var lastSession: UInt32 = 0
  var lastQueue: UInt32 = 0
  /// How many chunks a thread could open now. Written under `lock`; with an old count, an event takes
  /// the lock without need or is lost.
  let spare = SingleWriter<Int>(0)

  // MARK: An event

  /// Records an event of this thread.
  ///
  /// - Parameter session: the session read before the event's numbers and time.
  @inline(__always)
  static func record(
    _ step: TraceStep, of session: TraceSession, at time: UInt64 = Clock.uptime.now
  ) {
    if let thread = TraceThread.ofThisThread, thread.pointee.session == session.number,
      thread.pointee.hasRoom
    {
      thread.pointee.store(step, at: time)
    } else {
      shared.recordSlow(step, of: session, at: time)
    }
  }

  @inline(never)
  private func recordSlow(_ step: TraceStep, of session: TraceSession, at time: UInt64) {
    let thread = TraceThread.ofThisThread ?? beginThread()
    switch open(for: thread, in: session.number) {
    case .opened: thread.pointee.store(step, at: time)
    case .full:
      thread.pointee.lose()
      csb_trace_lost_add(1)
    case .ended: break
    }
  }

  private enum Opening { case opened, full, ended }

  /// Prepares this thread to record events and to write the recording if it
  /// crashes.
  package static func attend() {
    if TraceThread.ofThisThread == nil { _ = shared.beginThread() }
  }

  func beginThread() -> TraceThread.Pointer {
    ThreadEnd.arrange()
    return TraceThread.make()
  }

  /// Gives this thread a chunk to write into.
  private func open(for thread: TraceThread.Pointer, in session: UInt32) -> Opening {
    let isNew = thread.pointee.session != session
    // If no chunk is free, don't take the lock just to find that out. A thread
    // that has a full chunk does take it, to give that chunk up.
    let hasOwn = thread.pointee.chunkIndex >= 0
    if !isNew && !hasOwn && spare.load() == 0 { return .full }
    var name = isNew ? ThreadTraceName.ofThisThread : nil
    let number = csb_thread_number()
    return name?.withBytes { openLocked(thread, session, number, $0, $1) }
      ?? openLocked(thread, session, number, nil, UnsafeBufferPointer(start: nil, count: 0))
  }

  private func openLocked(
    _ thread: TraceThread.Pointer, _ session: UInt32, _ number: UInt32, _ name: ThreadTraceName?,
    _ text: UnsafeBufferPointer<UInt8>
  ) -> Opening {
    lock.lock()
    defer { lock.unlock() }
    guard recording != nil, recording!.isOn, session == lastSession else { return .ended }
    if let name {
      thread.pointee.begin(session)
      write(name, number, text)
    }
    let isOpen = recording!.chunks.open(for: &thread.pointee, number: number)
    noteSpare()
    return isOpen ? .opened : .full
  }

  /// The caller holds `lock`.
  func write(_ name: ThreadTraceName, _ number: UInt32, _ text: UnsafeBufferPointer<UInt8>) {
    recording!.goneThreads.remove(UInt64(number))
    recording!.name(
      .thread, id: UInt64(number), flags: name.role.rawValue, extra: name.kernelID,
      when: Clock.uptime.now, text)
  }

  /// Publishes how many chunks are available. The caller holds `lock`.
  func noteSpare() { spare.store(recording?.chunks.spareCount ?? 0) }

  // MARK: A thread's end, and a name

  /// Closes this thread's chunk. The last step of a thread.
  static func endThisThread() {
    guard let thread = TraceThread.ofThisThread else { return }
    let capture = shared
    capture.lock.lock()
    if capture.recording != nil && thread.pointee.session == capture.lastSession {
      capture.recording!.chunks.close(&thread.pointee)
      capture.recording!.goneThreads.insert(UInt64(csb_thread_number()))
      capture.noteSpare()
    }
    capture.lock.unlock()
    TraceThread.free(thread)
  }

  /// Records this thread's new name.
  static func threadWasNamed() {
    guard let thread = TraceThread.ofThisThread else { return }
    let capture = shared
    // Its first event in this recording will record the name anyway.
    guard thread.pointee.session == TraceSession.current.number else { return }
    let number = csb_thread_number()
    var name = ThreadTraceName.ofThisThread
    name.withBytes { name, text in
      capture.lock.withLock {
        if capture.recording != nil { capture.write(name, number, text) }
      }
    }
  }

  // MARK: Names

  /// Gives a queue its number in this recording.
  @inline(never)
  func admit(_ queue: UnsafeRawPointer) -> UInt32 {
    let facts = TraceQueues.facts(queue)
    let target = facts.target.flatMap { TraceQueues.number(of: $0, in: .current) } ?? 0
    let (session, includes): (UInt32, (@Sendable (String) -> Bool)?) = lock.withLock {
      (lastSession, recording == nil ? nil : recording!.includes)
    }
    let leftOut = includes.map { !$0(facts.label) } ?? false
    var label = TraceText.cut(facts.label, to: TraceNames.longest)
    return label.withUTF8 { text in
      lock.lock()
      defer { lock.unlock() }
      // If another recording has begun, it may exclude other queues. This event
      // belongs to neither recording.
      guard recording != nil, session == lastSession else { return TraceQueueNumber.leftOut }
      let word = TraceQueues.word(of: queue)
      let floor = TraceSession.current.lastOldQueue
      // order: relaxed; changed under the lock.
      let known = word.pointee.load(ordering: .relaxed)
      if known & ~TraceQueueNumber.leftOut > floor { return known }
      // All numbers are used up: no further queue gets a name.
      guard lastQueue < TraceQueueNumber.leftOut - 1 else { return TraceQueueNumber.leftOut }
      lastQueue += 1
      let number = lastQueue | (leftOut ? TraceQueueNumber.leftOut : 0)
      if !leftOut {
        recording!.name(
          .queue, id: UInt64(number), flags: facts.kind.rawValue, extra: target,
          when: Clock.uptime.now, text)
      }
      word.pointee.store(number, ordering: .relaxed)  // order: relaxed; see `TraceQueues.number`.
      return number
    }
  }

  /// Appends a new name record for a queue, if this recording already has one.
  func nameAnew(_ queue: UnsafeRawPointer) {
    let facts = TraceQueues.facts(queue)
    let target = facts.target.flatMap { TraceQueues.number(of: $0, in: .current) } ?? 0
    var label = TraceText.cut(facts.label, to: TraceNames.longest)
    label.withUTF8 { text in
      lock.lock()
      defer { lock.unlock() }
      let floor = TraceSession.current.lastOldQueue
      // order: relaxed; changed under the lock.
      let number = TraceQueues.word(of: queue).pointee.load(ordering: .relaxed)
      let isNamed = number > floor && number & TraceQueueNumber.leftOut == 0
      guard recording != nil, isNamed else { return }
      recording!.name(
        .queue, id: UInt64(number), flags: facts.kind.rawValue, extra: target,
        when: Clock.uptime.now, text)
    }
  }

  /// Notes that this queue is about to be freed.
  func noteGone(_ queue: UnsafeRawPointer) {
    // order: relaxed; the caller holds the last reference to the queue.
    let number = TraceQueues.word(of: queue).pointee.load(ordering: .relaxed)
    guard number != 0, number & TraceQueueNumber.leftOut == 0 else { return }
    lock.lock()
    if recording != nil { recording!.goneQueues.insert(UInt64(number)) }
    lock.unlock()
  }

  /// What the caller knows about an object.
  enum ObjectWords {
    /// The caller doesn't know the object's name.
    case unknown
    /// The name that the program gave it.
    case name(String)
    /// What the object is, with its name if it has one: "the NSLock "canvas"".
    case description(String)

    fileprivate var parts: (text: String?, flags: UInt8) {
      switch self {
      case .unknown: (nil, 0)
      case .name(let text): (text, 0)
      case .description(let text): (text, TraceLayout.describedFlag)
      }
    }
  }

  /// The number of an object.
  ///
  /// - Parameters:
  ///   - words: what the caller knows about the object.
  ///   - isNamed: whether to append a name record for a new number.
  func identify(
    _ key: UInt, _ kind: TraceObjectKind, _ words: ObjectWords, isNamed: Bool = true
  ) -> UInt64 {
    let (text, flags) = words.parts
    var cut = TraceText.cut(text ?? "", to: TraceNames.longest)
    return cut.withUTF8 { bytes in
      let name = text == nil ? 0 : TraceObjects.hash(bytes)
      lock.lock()
      defer { lock.unlock() }
      guard recording != nil else { return 0 }
      let found = recording!.objects.find(key, kind, name: name)
      if found.isChange { csb_trace_object_changes_add() }
      if found.isNew && isNamed {
        recording!.name(
          .object, id: found.id, flags: kind.rawValue | flags, when: Clock.uptime.now, bytes)
      }
      return found.id
    }
  }

  /// Forgets the object at this address, which is about to be freed.
  @inline(never)
  package func forget(_ key: UInt, _ kind: TraceObjectKind) {
    lock.lock()
    if recording != nil, recording!.objects.forget(key, kind) { csb_trace_object_changes_add() }
    lock.unlock()
  }

  /// The number of an object whose name the caller doesn't know.
  @inline(__always)
  static func number(
    of key: UInt, _ kind: TraceObjectKind, in session: TraceSession
  ) -> UInt64 {
    TraceThread.ofThisThread?.pointee.objects.id(of: key, kind, in: session.number)
      ?? shared.numberSlow(key, kind, session.number)
  }

  @inline(never)
  private func numberSlow(_ key: UInt, _ kind: TraceObjectKind, _ session: UInt32) -> UInt64 {
    // Read this before the number, so that any later change invalidates the
    // cache entry.
    let changes = csb_trace_object_changes_load()
    let id = identify(key, kind, .unknown)
    if id != 0, let thread = TraceThread.ofThisThread {
      thread.pointee.objects.keep(id, of: key, kind, in: session, changes)
    }
    return id
  }

  /// The number of the object, if it has both a number and a name.
  func known(_ key: UInt, _ kind: TraceObjectKind) -> UInt64? {
    lock.withLock { recording == nil ? nil : recording!.objects.known(key, kind) }
  }

  /// Records a text that the program passes.
  package static func mark(_ text: String) {
    guard csb_probe_recorded_load() != 0 else { return }
    let session = TraceSession.current
    let time = Clock.uptime.now
    let capture = shared
    var cut = TraceText.cut(text, to: TraceNames.longest)
    let number: UInt64 = cut.withUTF8 { bytes in
      capture.lock.lock()
      defer { capture.lock.unlock() }
      guard capture.recording != nil, capture.recording!.isOn else { return 0 }
      capture.recording!.lastText += 1
      let number = capture.recording!.lastText
      capture.recording!.name(.text, id: number, when: time, bytes)
      return number
    }
    if number != 0 { record(TraceStep(.mark, detail: number), of: session, at: time) }
  }
}

/// What a recording says about a thread.
struct ThreadTraceName {
  let role: TraceThreadRole
  let kernelID: UInt64
  private var text: String

  static var ofThisThread: ThreadTraceName {
    let isMain = csb_thread_is_main() != 0
    let isWorker = csb_thread_self().pointee.worker != nil
    let name =
      ThreadRecord.ofThisThread?.name
      ?? withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { bytes in
        csb_thread_get_name(bytes.baseAddress!)
        return String(cString: bytes.baseAddress!)
      }
    return ThreadTraceName(
      role: isMain ? .main : isWorker ? .worker : .other,
      kernelID: UInt64(csb_thread_kernel_id()), text: TraceText.cut(name, to: TraceNames.longest))
  }

  mutating func withBytes<Result>(
    _ body: (ThreadTraceName, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let name = self
    return text.withUTF8 { body(name, $0) }
  }
}
