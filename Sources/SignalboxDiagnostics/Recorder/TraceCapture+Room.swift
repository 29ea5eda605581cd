// TraceCapture+Room — removes unreferenced names to make room for new ones.
//
// A recording keeps the latest events, and the names that they need: when the
// names' region is full, the recorder removes names that no event refers to. It
// removes the name of a freed queue, an ended thread, an overwritten mark, or an
// object that has dropped out of the table of objects.
//
// To find the names in use, the recorder scans all events under the lock. It
// does so again only after an eighth of the chunks have been reopened.

extension TraceCapture.Recording {
  /// How many of the latest numbers always count as in use: a name is written
  /// before the event that refers to it.
  private static var recent: UInt64 { 64 }

  /// Appends the name of a number.
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

  /// The names that are still in use.
  private struct Needed {
    var references: TraceReferences
    var objects: TraceNumbers
    var texts: TraceNumbers
    let goneQueues: TraceNumbers
    let goneThreads: TraceNumbers
    /// Greater ids are recent, so their names stay.
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
    for name in intervalNames.values { needed.texts.insert(name) }
    // A queue that exists or has events also needs the names of its targets.
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
