// ThreadReader — reads the records of the threads that have waited, and their waits.
//
// A record is read between two readings of its epoch, and the list between two readings of its
// count of changes: see Internals/Outside.md.

package struct ThreadReader {
  private let memory: TargetMemory
  private let table: EngineTable
  private let record: RecordLayout
  private let list: RecordLayout
  private let root: UInt64
  private let hold: RecordLayout?
  private let frame: RecordLayout?
  private let readers: RecordLayout?
  private let places: RecordLayout?
  private let strings: StringReader
  private let tasks: TaskReader

  private static let fields = [
    "next", "self", "epoch", "number", "kernel_id", "name", "since", "object", "title", "label",
    "holder", "word", "expected", "reason", "label_kind", "holder_kind", "release", "has_deadline",
    "is_taken", "is_main", "is_worker", "frame", "holds", "reader_blocks",
  ]

  /// nil if the engine does not describe its threads.
  package init?(_ table: EngineTable, _ memory: TargetMemory) {
    guard let record = table.layout("thread", ThreadReader.fields),
      let list = table.layout("threads", ["first", "changes"]), let root = table.root("threads")
    else { return nil }
    self.memory = memory
    self.table = table
    self.record = record
    self.list = list
    self.root = root.address
    hold = table.layout("hold", ["object", "kind", "outer"])
    frame = table.layout("frame", ["queue", "outer"])
    readers = table.layout("readers", ["slots", "further"])
    places = table.layout("place", ["instruction", "stack", "frame"])
    strings = StringReader(table, memory)
    tasks = TaskReader(table, memory)
  }

  package struct Threads {
    package var threads: [SeenThread] = []
    /// Whether the list changed during every attempt, or could not be followed to its end.
    package var isTorn = false
  }

  package func read() -> Threads {
    var last = Threads(threads: [], isTorn: true)
    for _ in 0..<Limits.attempts {
      guard let before = list.read(at: root, from: memory) else { return last }
      var threads = walk(from: before["first"])
      let after = list.read(at: root, from: memory)
      let isSettled = before["changes"] % 2 == 0 && after?["changes"] == before["changes"]
      threads.isTorn = threads.isTorn || !isSettled
      if !threads.isTorn { return threads }
      if threads.threads.count >= last.threads.count { last = threads }
    }
    return last
  }

  private func walk(from first: UInt64) -> Threads {
    var found = Threads()
    var seen: Set<UInt64> = []
    var next = first
    while next != 0 {
      guard seen.count < Limits.threads, seen.insert(next).inserted,
        let (thread, following) = thread(at: next)
      else {
        found.isTorn = true
        break
      }
      found.threads.append(thread)
      next = following
    }
    return found
  }

  // MARK: One thread

  /// The thread whose record is at the address, and the next record's address; nil if there is no record.
  private func thread(at address: UInt64) -> (SeenThread, UInt64)? {
    for _ in 0..<Limits.attempts {
      guard let epoch = epoch(at: address), let record = record.read(at: address, from: memory),
        record["self"] == address
      else { return nil }
      let wait = epoch % 2 == 1 ? wait(record, epoch, at: address) : nil
      guard self.epoch(at: address) == epoch else { continue }
      return (thread(record, at: address, wait, isUnsettled: false), record["next"])
    }
    guard let record = record.read(at: address, from: memory), record["self"] == address
    else { return nil }
    return (thread(record, at: address, nil, isUnsettled: true), record["next"])
  }

  private func epoch(at address: UInt64) -> UInt64? {
    memory.number(at: record.address(of: "epoch", at: address))
  }

  private func thread(
    _ record: Record, at address: UInt64, _ wait: SeenWait?, isUnsettled: Bool
  ) -> SeenThread {
    SeenThread(
      address: address, number: record["number"],
      kernelID: Int32(truncatingIfNeeded: record["kernel_id"]), isMain: record["is_main"] != 0,
      isWorker: record["is_worker"] != 0, name: memory.text(at: record["name"]) ?? "", wait: wait,
      isUnsettled: isUnsettled, job: tasks.job(ofThreadNamedAt: record["name"]))
  }

  /// The same thread once more; nil if its record is gone, or belongs to another thread.
  func again(_ thread: SeenThread) -> SeenThread? {
    guard let (now, _) = self.thread(at: thread.address), now.number == thread.number
    else { return nil }
    return now
  }

  // MARK: Its wait

  private func wait(_ record: Record, _ epoch: UInt64, at address: UInt64) -> SeenWait {
    // Read in this order, as the engine does: a reader that has not been let in by then waited
    // while that writer was there, and a wait that is not over by then had that holder.
    let named = holder(record)
    let stack = stack(record)
    let word = record["word"]
    let isUnchanged = word != 0 && memory.number(at: word, size: 4) == record["expected"]
    let isTaken = record["is_taken"] != 0
    let isBlocked = record["has_deadline"] == 0 && word != 0 && (isTaken || isUnchanged)
    // The word of a wait that is over may hold something other than a thread.
    let isOver = word != 0 && !isTaken && !isUnchanged
    let isInWord = table.word("holder", for: record["holder_kind"]) == "word"
    return SeenWait(
      epoch: epoch, reason: table.word("reason", for: record["reason"]) ?? "for",
      isIdle: table.word("idle", for: record["reason"]) != nil, since: record["since"],
      object: record["object"], hasDeadline: record["has_deadline"] != 0,
      mayBeReleased: record["release"] != table.constant("release", "nobody"),
      title: memory.text(at: record["title"]) ?? "", label: label(record),
      holder: isOver && isInWord ? .nobody : named, isBlocked: isBlocked, stack: stack,
      place: place(at: address))
  }

  private func place(at address: UInt64) -> SeenWait.Place? {
    guard let place = places?.read(at: address, from: memory), place["instruction"] != 0
    else { return nil }
    return SeenWait.Place(
      registers: StackRegisters(
        instruction: place["instruction"], stack: place["stack"], frame: place["frame"]),
      epochAddress: record.address(of: "epoch", at: address))
  }

  private func label(_ record: Record) -> SeenWait.Label {
    switch table.word("label", for: record["label_kind"]) {
    case "whole": return .whole
    case "holder": return .holder
    case "reference":
      // The word holds the address of a string, or nothing.
      let text = memory.number(at: record["label"]).flatMap { $0 == 0 ? nil : strings.text(at: $0) }
      return text.map { .text($0) } ?? .none
    default: return .none
    }
  }

  private func holder(_ record: Record) -> SeenWait.Holder {
    switch table.word("holder", for: record["holder_kind"]) {
    case "word":
      let thread = threadInWord(at: record["holder"])
      return thread == 0 ? .nobody : .thread(thread)
    case "reader":
      let thread = threadInWord(at: record["holder"])
      return thread == 0 ? .nobody : .writer(thread)
    case "thread": return record["holder"] == 0 ? .nobody : .thread(record["holder"])
    case "queue": return .queue
    case "workers": return .workers
    case "readers": return .readers
    default: return .nobody
    }
  }

  private func threadInWord(at address: UInt64) -> UInt64 {
    // The highest bit of a lock's word says that a thread may sleep on it.
    (memory.number(at: address, size: 4) ?? 0) & 0x7FFF_FFFF
  }

  // MARK: Its stack

  private func stack(_ record: Record) -> SeenStack {
    var stack = SeenStack()
    addFrames(from: record["frame"], to: &stack)
    addHolds(from: record["holds"], to: &stack)
    if let readers {
      let waiting = table.constant("readers", "waiting")
      follow(record["reader_blocks"], readers, "further") { block in
        for index in 0..<block.count("slots") {
          let slot = block.word("slots", index)
          // The low bits are the stage; 0 is held.
          if slot != 0, slot & 3 == 0 { stack.readLocks.insert(slot) }
          if let waiting, slot & 3 == waiting { stack.awaitedReadLocks.insert(slot & ~3) }
        }
      }
    }
    return stack
  }

  private func addFrames(from first: UInt64, to stack: inout SeenStack) {
    guard let frame else { return }
    var queues: [UInt64] = []
    follow(first, frame, "outer") { queues.append($0["queue"]) }
    stack.queues += queues
  }

  private func addHolds(from first: UInt64, to stack: inout SeenStack) {
    guard let hold else { return }
    var frames: [UInt64] = []
    var inner: String?
    follow(first, hold, "outer") { record in
      let kind = table.word("hold", for: record["kind"])
      switch kind {
      case "work", "operation": stack.works.append(record["object"])
      case "operationStart": stack.startedWorks.append(record["object"])
      // An operation that was only started may have left the queue while it continues.
      case "operationQueue" where inner == "operation": stack.works.append(record["object"])
      case "queue": stack.heldQueues.append(record["object"])
      case "frames": frames.append(record["object"])
      default: break
      }
      inner = kind
    }
    for first in frames { addFrames(from: first, to: &stack) }
  }

  /// Calls `body` with each record of a chain.
  private func follow(
    _ first: UInt64, _ layout: RecordLayout, _ link: String, _ body: (Record) -> Void
  ) {
    var seen: Set<UInt64> = []
    var next = first
    while next != 0, seen.count < Limits.chain, seen.insert(next).inserted,
      let record = layout.read(at: next, from: memory)
    {
      body(record)
      next = record[link]
    }
  }
}
