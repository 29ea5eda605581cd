// TraceCapture+Session — a recording's beginning, its end, and a copy of it.

import CSignalbox

extension TraceCapture {
  /// Whether steps are recorded now.
  package static var isOn: Bool { csb_probe_recorded_load() != 0 }

  /// What `begin` returns where a recording is under way.
  package static var isOnAlready: Int32 { EALREADY }

  /// Begins a recording. What was recorded before is gone.
  ///
  /// - Returns: 0; EALREADY where one is under way; what the system refused the memory with.
  package func begin(_ settings: Settings) -> Int32 {
    ForkProtocol.arrange()
    var error: Int32 = 0
    let count = max(settings.chunkBytes / TraceMemory.chunkSize, 1)
    guard
      let memory = TraceMemory.map(
        namesSize: (settings.namesBytes + 7) & ~7, chunkCount: count, &error)
    else { return error }
    let fresh = Recording(memory, settings.includes)
    // The first one loads the unwinder, which is not to happen under anybody's lock.
    if settings.places { PlaceWords.prepare() }
    lock.lock()
    if let isOn = recording?.isOn, isOn {
      lock.unlock()
      memory.unmap()
      return EALREADY
    }
    // What it holds is freed when the lock is left.
    let former = recording
    recording = fresh
    for reason in WaitReason.allCases {
      var words = reason.words
      words.withUTF8 {
        recording!.names.append(.text, id: UInt64(reason.rawValue), when: Clock.uptime.now, $0)
      }
    }
    lastSession += 1
    csb_trace_lost_store(0)
    csb_trace_places_store(settings.places ? 1 : 0)
    csb_trace_object_changes_add()
    csb_trace_session_store(UInt64(lastSession) << 32 | UInt64(lastQueue))
    noteSpare()
    lock.unlock()
    former?.memory.empty()
    ProbeSubscribers.shared.record(settings.kinds)
    return 0
  }

  /// Ends the recording. Steps that are under way may still be recorded, or lost.
  package func end() {
    ProbeSubscribers.shared.record([])
    lock.lock()
    if recording != nil { recording!.isOn = false }
    lock.unlock()
  }

  // MARK: A copy

  /// Copies what is recorded into memory of its own, for `body`. Others go on recording:
  /// the lock is held for one chunk at a time.
  ///
  /// - Returns: nil where there is no recording, or no memory for it.
  package func withCopy<Result>(
    _ cause: TraceCause, _ body: (TraceMemory) throws -> Result
  ) rethrows -> Result? {
    guard let memory = lock.withLock({ recording == nil ? nil : recording!.memory }) else {
      return nil
    }
    var error: Int32 = 0
    guard
      let copy = TraceMemory.map(
        namesSize: memory.namesSize, chunkCount: memory.chunkCount, &error)
    else { return nil }
    defer { copy.unmap() }
    guard fill(copy, from: memory, cause) else { return nil }
    namePlaces(in: copy)
    return try body(copy)
  }

  private func fill(_ copy: TraceMemory, from memory: TraceMemory, _ cause: TraceCause) -> Bool {
    var place = 0
    var isWhole = true
    while isWhole && place < memory.chunkCount {
      lock.lock()
      isWhole = recording != nil && recording!.memory.base == memory.base
      let isUsed = isWhole && place < recording!.chunks.used
      if isUsed { TraceCapture.copyChunk(memory.chunk(place), to: copy.chunk(place)) }
      lock.unlock()
      if !isUsed { break }
      place += 1
    }
    lock.lock()
    defer { lock.unlock() }
    // Another has begun, and this one's memory is empty.
    guard isWhole, recording != nil, recording!.memory.base == memory.base else { return false }
    // The names last: those of all that was copied are there by now.
    let used = Int(memory.word(TraceLayout.Header.namesUsed))
    copy.base.copyMemory(from: memory.base, byteCount: TraceLayout.headerSize + used)
    copy.set(TraceLayout.Header.eventsLost, csb_trace_lost_load())
    copy.set(TraceLayout.Header.cause, cause.rawValue)
    copy.set(TraceLayout.Header.written, Clock.uptime.now)
    if let engine = Engine.existing {
      copy.set(TraceLayout.Header.processors, UInt32(engine.pool.width))
    }
    return true
  }

  /// Has what is recorded written to `path` when the process crashes, and `notice` said then.
  ///
  /// - Returns: 0; ENAMETOOLONG; ENOENT where there is no recording.
  package func arm(_ path: String, temporary: String, notice: String) -> Int32 {
    guard let memory = lock.withLock({ recording == nil ? nil : recording!.memory }) else {
      return ENOENT
    }
    return csb_trace_arm(memory.bytes, path, temporary, notice)
  }

  /// Under the lock.
  private static func copyChunk(_ chunk: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer)
  {
    let count = Int(TraceThread.publishedCount(of: chunk))
    let first = TraceLayout.Chunk.sequence
    let size = TraceLayout.chunkHeaderSize - first + count * TraceLayout.eventSize
    // Word by word, as it was written: the sanitizer sees it so.
    // SAFETY: mapped memory, always used as these.
    let source = (chunk + first).assumingMemoryBound(to: UInt64.self)
    let copy = (place + first).assumingMemoryBound(to: UInt64.self)
    var word = 0
    while word < size / 8 {
      copy[word] = source[word]
      word += 1
    }
    place.copyMemory(from: chunk, byteCount: TraceLayout.Chunk.count)
    place.storeBytes(
      of: UInt32(count).littleEndian, toByteOffset: TraceLayout.Chunk.count, as: UInt32.self)
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: what is recorded is the parent's, and so is the file.
  func forgetAfterFork() {
    ProbeSubscribers.shared.stopRecordingAfterFork()
    recording?.isOn = false
    lastSession += 1
    csb_trace_session_store(UInt64(lastSession) << 32 | UInt64(lastQueue))
  }
}
