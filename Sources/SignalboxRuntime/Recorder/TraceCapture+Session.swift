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
    Fork.joinRuntime()
    var error: Int32 = 0
    let count = max(settings.chunkBytes / TraceMemory.chunkSize, 1)
    guard
      let memory = TraceMemory.map(
        namesSize: (settings.namesBytes + 7) & ~7, chunkCount: count, &error)
    else { return error }
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
    recording = Recording(memory, settings, lastQueue: lastQueue)
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
    followRecording()
    return 0
  }

  /// Ends the recording. Steps that are under way may still be recorded, or lost.
  package func end() {
    lock.lock()
    if recording != nil { recording!.isOn = false }
    lock.unlock()
    followRecording()
  }

  /// Has steps come here while a recording is under way.
  private func followRecording() {
    ProbeSubscribers.shared.record {
      lock.withLock {
        recording != nil && recording!.isOn ? recording!.kinds : ProbeSubscribers.Recorded([])
      }
    }
  }

  // MARK: A copy

  /// Copies what is recorded into memory of its own, for `body`. Others go on recording:
  /// the lock is held for one chunk at a time, and at the end for those that threads have open.
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
        namesSize: memory.namesSize + sizeOfPlaceNames(of: memory),
        chunkCount: memory.chunkCount, &error)
    else { return nil }
    defer { copy.unmap() }
    guard fill(copy, from: memory, cause) else { return nil }
    namePlaces(of: memory, in: copy)
    return try body(copy)
  }

  /// How many chunks are few: so many may be copied with the lock held.
  private static var few: Int { 8 }
  /// How often the chunks are gone over at most until few are new.
  private static var rounds: Int { 8 }

  /// What a thread did goes on from chunk to chunk. So a copy may not have one as it was a moment
  /// ago and the thread's next one as it is now: what lies between would be missing, and nobody
  /// would say so. At the end what has changed since is copied once more, with all chunks as they
  /// are at one moment, and of later events none is kept.
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
    var place = 0
    while place < recording!.chunks.used {
      let stamp = recording!.chunks.stamp(place)
      if stamp == 0 || place >= copied.count || stamp != copied[place] {
        TraceCapture.copyChunk(memory.chunk(place), to: copy.chunk(place), until: now)
      }
      place += 1
    }
    // The names last: those of all that was copied are there by now.
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

  /// Copies each chunk that is not yet copied as it is, the lock held for one at a time.
  ///
  /// - Parameter copied: the stamps of the chunks that are.
  /// - Returns: how many there were; nil where another recording has begun.
  private func copyChanged(
    _ copied: inout [UInt64], _ copy: TraceMemory, _ memory: TraceMemory
  ) -> Int? {
    var (place, count) = (0, 0)
    while true {
      lock.lock()
      let isCurrent = isCurrent(memory)
      let isUsed = isCurrent && place < recording!.chunks.used
      let stamp = isUsed ? recording!.chunks.stamp(place) : 0
      if place == copied.count { copied.append(.max) }
      if isUsed && stamp != copied[place] {
        TraceCapture.copyChunk(memory.chunk(place), to: copy.chunk(place), until: .max)
        copied[place] = stamp
        count += 1
      }
      lock.unlock()
      if !isCurrent { return nil }
      if !isUsed { return count }
      place += 1
    }
  }

  /// Under the lock: whether this is the memory of the recording that there is. Where another has
  /// begun, it is empty.
  func isCurrent(_ memory: TraceMemory) -> Bool {
    recording != nil && recording!.memory.base == memory.base
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

  /// Under the lock. Without the events at its end that are later than `time`.
  private static func copyChunk(
    _ chunk: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer, until time: UInt64
  ) {
    var count = Int(TraceThread.publishedCount(of: chunk))
    while count > 0 && timeOfEvent(count - 1, in: chunk) > time { count -= 1 }
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

  private static func timeOfEvent(_ index: Int, in chunk: UnsafeMutableRawPointer) -> UInt64 {
    let place = chunk + TraceLayout.chunkHeaderSize + index * TraceLayout.eventSize
    // SAFETY: mapped memory, always used as these.
    return UInt64(littleEndian: place.assumingMemoryBound(to: UInt64.self).pointee)
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
