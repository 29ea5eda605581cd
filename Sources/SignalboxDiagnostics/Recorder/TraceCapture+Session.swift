// TraceCapture+Session — begins, ends and copies a recording.

import CSignalbox
import SignalboxRuntime

extension TraceCapture {
  /// Whether events are being recorded now.
  package static var isOn: Bool { csb_probe_recorded_load() != 0 }

  /// The value that `begin` returns when a recording is already in progress.
  package static var isOnAlready: Int32 { EALREADY }

  /// Begins a recording and discards the previous one.
  ///
  /// - Returns: 0; EALREADY if a recording is in progress; or the errno with
  ///   which the system refused the memory.
  package func begin(_ settings: Settings) -> Int32 {
    begin(settings, unless: { $0.isOn }).error
  }

  /// Begins a recording unless there is one. A recording that has ended also counts, because it may
  /// be written later.
  ///
  /// - Parameter session: receives the number of the new recording; 0 if none begins.
  /// - Returns: the same as `begin(_:)`.
  package func begin(_ settings: Settings, asOnly session: inout UInt32) -> Int32 {
    let result = begin(settings, unless: { !$0.isOfParent })
    session = result.session
    return result.error
  }

  private func begin(
    _ settings: Settings, unless isInTheWay: (Recording) -> Bool
  ) -> (error: Int32, session: UInt32) {
    Observation.begin()
    LazyStatics.forceRecording()
    var error: Int32 = 0
    let count = max(settings.chunkBytes / TraceMemory.chunkSize, 1)
    guard
      let memory = TraceMemory.map(
        namesSize: (settings.namesBytes + 7) & ~7, chunkCount: count, &error)
    else { return (error, 0) }
    // The first backtrace loads the unwinder, which must not happen under a
    // lock.
    if settings.places { PlaceWords.prepare() }
    lock.lock()
    if let recording, isInTheWay(recording) {
      lock.unlock()
      memory.unmap()
      return (TraceCapture.isOnAlready, 0)
    }
    // Keeps the old recording alive until after the unlock.
    let former = recording
    recording = Recording(memory, settings, lastQueue: lastQueue)
    for reason in WaitReason.allCases {
      reason.phrase.withUTF8Buffer {
        recording!.names.append(.text, id: UInt64(reason.rawValue), when: Clock.uptime.now, $0)
      }
    }
    lastSession += 1
    let session = lastSession
    csb_trace_lost_store(0)
    csb_trace_places_store(settings.places ? 1 : 0)
    csb_trace_object_changes_add()
    csb_trace_session_store(UInt64(lastSession) << 32 | UInt64(lastQueue))
    noteSpare()
    lock.unlock()
    former?.memory.empty()
    followRecording()
    return (0, session)
  }

  /// Ends the recording. Events in progress may still be recorded, or lost.
  ///
  /// - Parameter session: the number of the recording to end; nil for any.
  package func end(_ session: UInt32? = nil) {
    lock.lock()
    if recording != nil, session == nil || session == lastSession { recording!.isOn = false }
    lock.unlock()
    followRecording()
  }

  /// Forgets the recording with this number, which has ended, and gives its memory back to the system.
  package func discard(_ session: UInt32) {
    lock.lock()
    // Keeps the old recording alive until after the unlock.
    let former = recording
    let isCurrent = session == lastSession && former != nil && !former!.isOn
    if isCurrent {
      recording = nil
      noteSpare()
    }
    lock.unlock()
    if isCurrent { former!.memory.empty() }
  }

  /// Sets the probe masks to what the current recording wants.
  private func followRecording() {
    ProbeSubscribers.shared.record {
      lock.withLock {
        recording != nil && recording!.isOn ? recording!.kinds : 0
      }
    }
  }

  // MARK: A copy

  /// Copies the recording into separate memory and passes it to `body`. Other
  /// threads keep recording: the recorder holds the lock for one chunk at a
  /// time, and at the end for the chunks that threads have open.
  ///
  /// - Parameter session: the number of the recording; nil for any.
  /// - Returns: nil if there is no recording or no memory for the copy.
  package func withCopy<Result>(
    _ cause: TraceCause, of session: UInt32? = nil, _ body: (TraceMemory) throws -> Result
  ) rethrows -> Result? {
    let current = lock.withLock {
      recording != nil && (session == nil || session == lastSession) ? recording!.memory : nil
    }
    guard let memory = current else { return nil }
    var error: Int32 = 0
    guard
      let copy = TraceMemory.map(
        namesSize: memory.namesSize + sizeOfPlaceNames(of: memory),
        chunkCount: memory.chunkCount, &error)
    else { return nil }
    defer { copy.unmap() }
    guard fill(copy, from: memory, cause) else { return nil }
    namePlaces(of: memory, in: copy)
    return try body(copy)
  }

  /// How many chunks the recorder may copy in one stretch with the lock held.
  private static var few: Int { 8 }
  /// The maximum number of passes over the chunks. The passes stop earlier once
  /// at most `few` chunks have changed.
  private static var rounds: Int { 8 }

  /// A thread's events continue from one chunk to the next. If the copy held
  /// one chunk as of a moment ago and the thread's next chunk as of now, the
  /// events in between would be missing without a trace. So the last pass
  /// copies every chunk that has changed since, all under one hold of the lock,
  /// and drops events that are later than that moment.
  private func fill(_ copy: TraceMemory, from memory: TraceMemory, _ cause: TraceCause) -> Bool {
    var copied: [UInt64] = []
    for _ in 0..<TraceCapture.rounds {
      guard let count = copyChanged(&copied, copy, memory) else { return false }
      if count <= TraceCapture.few { break }
    }
    lock.lock()
    defer { lock.unlock() }
    guard isCurrent(memory) else { return false }
    let now = Clock.uptime.now
    var index = 0
    while index < recording!.chunks.used {
      let stamp = recording!.chunks.stamp(index)
      if stamp == 0 || index >= copied.count || stamp != copied[index] {
        TraceCapture.copyChunk(memory.chunk(index), to: copy.chunk(index), until: now)
      }
      index += 1
    }
    // Copy the names last: by now every number in the copied events has its
    // name.
    let used = Int(memory.word(TraceLayout.Header.namesUsed))
    copy.base.copyMemory(from: memory.base, byteCount: TraceLayout.headerSize + used)
    copy.set(TraceLayout.Header.namesSize, UInt32(copy.namesSize))
    copy.set(TraceLayout.Header.eventsLost, csb_trace_lost_load())
    copy.set(TraceLayout.Header.cause, cause.rawValue)
    copy.set(TraceLayout.Header.written, now)
    if let engine = Engine.existing {
      copy.set(TraceLayout.Header.processors, UInt32(engine.pool.width))
    }
    return true
  }

  /// Copies each chunk that has changed since its last copy, holding the lock
  /// for one chunk at a time.
  ///
  /// - Parameter copied: the stamp of each chunk at its last copy.
  /// - Returns: how many chunks it copied; nil if another recording has begun.
  private func copyChanged(
    _ copied: inout [UInt64], _ copy: TraceMemory, _ memory: TraceMemory
  ) -> Int? {
    var (index, count) = (0, 0)
    while true {
      lock.lock()
      let isCurrent = isCurrent(memory)
      let isUsed = isCurrent && index < recording!.chunks.used
      let stamp = isUsed ? recording!.chunks.stamp(index) : 0
      if index == copied.count { copied.append(.max) }
      if isUsed && stamp != copied[index] {
        TraceCapture.copyChunk(memory.chunk(index), to: copy.chunk(index), until: .max)
        copied[index] = stamp
        count += 1
      }
      lock.unlock()
      if !isCurrent { return nil }
      if !isUsed { return count }
      index += 1
    }
  }

  /// Whether `memory` is that of the current recording. If another recording
  /// has begun, `memory` is empty. The caller holds `lock`.
  func isCurrent(_ memory: TraceMemory) -> Bool {
    recording != nil && recording!.memory.base == memory.base
  }

  /// Has the crash handler write the recording to `path` and print `notice`.
  ///
  /// - Returns: 0; ENAMETOOLONG; or ENOENT if there is no recording.
  package func arm(_ path: String, temporary: String, notice: String) -> Int32 {
    guard let memory = lock.withLock({ recording == nil ? nil : recording!.memory }) else {
      return ENOENT
    }
    return csb_trace_arm(memory.bytes, path, temporary, notice)
  }

  /// Copies a chunk without the events at its end that are later than `time`.
  /// The caller holds `lock`.
  private static func copyChunk(
    _ chunk: UnsafeMutableRawPointer, to copy: UnsafeMutableRawPointer, until time: UInt64
  ) {
    var count = Int(TraceThread.publishedCount(of: chunk))
    while count > 0 && timeOfEvent(count - 1, in: chunk) > time { count -= 1 }
    let first = TraceLayout.Chunk.sequence
    let size = TraceLayout.chunkHeaderSize - first + count * TraceLayout.eventSize
    // Copy whole words, as the writer stores them, so ThreadSanitizer matches
    // the accesses.
    // SAFETY: mapped memory that is only ever used as 64-bit words.
    let source = (chunk + first).assumingMemoryBound(to: UInt64.self)
    let target = (copy + first).assumingMemoryBound(to: UInt64.self)
    var word = 0
    while word < size / 8 {
      target[word] = source[word]
      word += 1
    }
    copy.copyMemory(from: chunk, byteCount: TraceLayout.Chunk.count)
    copy.storeBytes(
      of: UInt32(count).littleEndian, toByteOffset: TraceLayout.Chunk.count, as: UInt32.self)
  }

  private static func timeOfEvent(_ index: Int, in chunk: UnsafeMutableRawPointer) -> UInt64 {
    let event = chunk + TraceLayout.chunkHeaderSize + index * TraceLayout.eventSize
    // SAFETY: mapped memory that is only ever used as 64-bit words.
    return UInt64(littleEndian: event.assumingMemoryBound(to: UInt64.self).pointee)
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// Stops recording in a forked child: the recording and its file belong to
  /// the parent.
  func forgetAfterFork() {
    ProbeSubscribers.shared.stopRecordingAfterFork()
    if let isOn = recording?.isOn, isOn { recording!.isOfParent = true }
    recording?.isOn = false
    lastSession += 1
    csb_trace_session_store(UInt64(lastSession) << 32 | UInt64(lastQueue))
  }
}
