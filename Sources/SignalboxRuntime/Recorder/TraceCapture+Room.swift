// TraceCapture+Room — names that nobody needs make room for others.
//
// A recording holds what came last, and so do its names: of a queue that is gone, and of which no
// event is left, the name is taken out when there is no room for another one. So is that of a
// thread that has ended, of a mark that was written over and of an object that was not met for
// long.
//
// To find what is needed, all events are looked at under the lock. That is done again only when an
// eighth of the chunks have been opened since.

extension TraceCapture.Recording {
  /// So many of the last numbers may be in events that are not yet written: a step is named first.
  private static var recent: UInt64 { 64 }

  /// Says what a number stands for.
  mutating func name(
    _ subject: TraceSubject, id: UInt64, flags: UInt8 = 0, extra: UInt64 = 0, when: UInt64,
    _ text: UnsafeBufferPointer<UInt8>
  ) {
    if !names.hasRoom(text.count) { makeRoom() }
    names.append(subject, id: id, flags: flags, extra: extra, when: when, text)
  }

  @inline(never)
  private mutating func makeRoom() {
    guard chunks.sequence >= nextRoom else { return }
    nextRoom = chunks.sequence + UInt64(max(memory.chunkCount / 8, 1))
    let needed = needed
    names.keep { needed.contains($0) }
  }

  /// What the names are needed for.
  private struct Needed {
    var references: TraceReferences
    var objects: TraceNumbers
    var texts: TraceNumbers
    let goneQueues: TraceNumbers
    let goneThreads: TraceNumbers
    /// Those above are recent.
    let lastObject: UInt64
    let lastText: UInt64

    func contains(_ record: TraceNames.Record) -> Bool {
      switch TraceSubject(rawValue: record.subject) {
      case .queue:
        !goneQueues.contains(record.id) || references.queues.contains(record.id)
      case .thread:
        !goneThreads.contains(record.id) || references.threads.contains(record.id)
      case .object:
        record.id > lastObject || objects.contains(record.id)
          || references.objects.contains(record.id)
      case .text:
        record.id > lastText || record.id <= TraceCapture.Recording.lastReason
          || texts.contains(record.id) || references.texts.contains(record.id)
      case nil: true
      }
    }
  }

  private var needed: Needed {
    let recent = TraceCapture.Recording.recent
    var needed = Needed(
      references: TraceReferences(of: chunks, above: goneQueues.floor),
      objects: objects.numbers, texts: TraceNumbers(), goneQueues: goneQueues,
      goneThreads: goneThreads,
      lastObject: objects.lastID - min(objects.lastID, recent),
      lastText: lastText - min(lastText, recent))
    for place in places.all { needed.texts.insert(place.id) }
    // A queue that is there, or that has events, needs its targets.
    var isComplete = false
    while !isComplete {
      isComplete = true
      names.forEach { record in
        guard record.subject == TraceSubject.queue.rawValue, needed.contains(record),
          goneQueues.contains(record.extra)
        else { return }
        if needed.references.insert(queue: record.extra) { isComplete = false }
      }
    }
    return needed
  }
}
