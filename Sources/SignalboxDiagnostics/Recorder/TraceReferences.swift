// TraceReferences — the numbers that the events of a recording use.
//
// Touching    under the recorder's lock, held for the scan of all events: a few
//             nanoseconds for each.

import SignalboxRuntime

struct TraceReferences {
  private(set) var queues: TraceNumbers
  private(set) var objects = TraceNumbers()
  private(set) var texts = TraceNumbers()
  private(set) var threads = TraceNumbers()

  /// - Parameter floor: the last queue number given out before the recording.
  init(of chunks: TraceChunks, above floor: UInt64) {
    queues = TraceNumbers(above: floor)
    var chunk = 0
    while chunk < chunks.used {
      note(chunks.memory.chunk(chunk))
      chunk += 1
    }
  }

  /// Adds a queue that another queue in use has as its target.
  mutating func insert(queue: UInt64) -> Bool { queues.insert(queue) }

  private mutating func note(_ chunk: UnsafeMutableRawPointer) {
    let count = Int(TraceThread.publishedCount(of: chunk))
    guard count > 0 else { return }
    let thread = chunk.load(fromByteOffset: TraceLayout.Chunk.thread, as: UInt32.self)
    threads.insert(UInt64(UInt32(littleEndian: thread)))
    var index = 0
    while index < count {
      note(event: chunk + TraceLayout.chunkHeaderSize + index * TraceLayout.eventSize)
      index += 1
    }
  }

  private mutating func note(event: UnsafeMutableRawPointer) {
    // SAFETY: mapped memory that is only ever used as 64-bit words.
    let words = event.assumingMemoryBound(to: UInt64.self)
    let head = UInt64(littleEndian: words[1])
    let (object, detail) = (UInt64(littleEndian: words[2]), UInt64(littleEndian: words[3]))
    guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: head)) else { return }
    switch kind {
    case .itemSubmitted, .itemStarted, .itemFinished, .syncEntered, .syncLeft, .drainBegan,
      .drainEnded:
      queues.insert(object)
    case .waitBegan, .waitEnded, .wake:
      let flags = TraceWaitFlags(rawValue: UInt8(truncatingIfNeeded: head >> 8))
      if flags.contains(.isQueue) { queues.insert(object) } else { objects.insert(object) }
      if kind != .wake { threads.insert(head >> 32) }
    case .mark:
      texts.insert(detail)
      texts.insert(head >> 32)
    case .place:
      texts.insert(detail)
      objects.insert(object)
    case .semaphoreTaken, .semaphoreSignalled, .groupEntered, .groupLeft, .onceAsked, .lockTaken,
      .lockLeft, .runLoopStep, .operation:
      objects.insert(object)
    // Timers have no names.
    case .timerArmed, .timerCancelled, .timerFired: break
    case .workerWoken: threads.insert(head >> 32)
    case .workerParked, .workerUnparked, .threadStarted, .threadEnded, .loopBegan, .loopEnded: break
    }
  }
}
