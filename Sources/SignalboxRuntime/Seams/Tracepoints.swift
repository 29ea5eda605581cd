// Tracepoints — the static tracepoints behind the probes, for tracers such as bpftrace. See
// Internals/Tracepoints.md.
//
// A tracer that listens makes the word of the probes nonzero, so a probe takes its slow path, which
// fires the tracepoint. Tracepoints need no observer. Each is a C function with one `nop`
// (tracepoints.h).
//
// No probe that a signal handler may reach has a tracepoint.

import CSignalbox

enum Tracepoints {
  /// Whether a tracer listens to any tracepoint. All tracepoints share one count of listeners.
  @inline(__always)
  static var isOn: Bool { csb_probe_traced_load() != 0 }

  /// The bits of the kinds of events that a tracer hears of, if one listens.
  @inline(__always)
  static var wanted: UInt32 { isOn ? kinds : 0 }

  private static var kinds: UInt32 {
    EventKind.itemSubmitted.bit | EventKind.itemStarted.bit | EventKind.itemFinished.bit
      | EventKind.syncEntered.bit | EventKind.syncLeft.bit
      | EventKind.waitBegan.bit | EventKind.waitEnded.bit
      | EventKind.lockTaken.bit | EventKind.lockLeft.bit | EventKind.timerFired.bit
  }

  // MARK: Items

  static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer, isJob: Bool) {
    // An item in a job's own memory has no item flags. See `Item.overlay`.
    let own = isJob ? .job : item.pointee.flags
    let qos = own.urgency.band.map { UInt64($0.rawValue) + 1 } ?? (own.contains(.job) ? 0 : 6)
    withLabel(of: queue) { csb_usdt_item_submitted(queue, $0, item, qos) }
  }

  static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    withLabel(of: queue) { csb_usdt_item_began(queue, $0, item) }
  }

  static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer) {
    withLabel(of: queue) { csb_usdt_item_ended(queue, $0, item) }
  }

  static func syncEntered(_ queue: UnsafeRawPointer) {
    withLabel(of: queue) { csb_usdt_sync_began(queue, $0) }
  }

  static func syncLeft(_ queue: UnsafeRawPointer) {
    withLabel(of: queue) { csb_usdt_sync_ended(queue, $0) }
  }

  // MARK: Waits and locks

  static func waitBegan(_ reason: WaitReason, on resource: WaitResource) {
    let need = resource.need(of: csb_thread_number())
    let holder: UInt64 = if case .thread(let number) = need { UInt64(number) } else { 0 }
    withWords(of: resource) { kind, name in
      if reason.isForLock { csb_usdt_lock_contended(resource.object, kind, name, holder) }
      csb_usdt_wait_began(resource.object, kind, name, cString(reason.word), holder)
    }
  }

  static func waitEnded(_ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool) {
    withWords(of: resource) { kind, name in
      csb_usdt_wait_ended(
        resource.object, kind, name, cString(reason.word), hasTimedOut ? 1 : 0)
    }
  }

  static func lockTaken(_ lock: WaitResource) {
    withWords(of: lock) { csb_usdt_lock_acquired(lock.object, $0, $1) }
  }

  static func lockLeft(_ lock: WaitResource) {
    withWords(of: lock) { csb_usdt_lock_released(lock.object, $0, $1) }
  }

  // MARK: Workers

  static func workerBegan(_ worker: WorkerPointer) {
    worker.pointee.tier.name.withCString { csb_usdt_worker_began($0, worker.traceNumber) }
  }

  static func workerEnded(_ worker: WorkerPointer) {
    worker.pointee.tier.name.withCString { csb_usdt_worker_ended($0, worker.traceNumber) }
  }

  static func workerBlocked(_ worker: WorkerPointer, running: Int, total: Int, isReplaced: Bool) {
    let (running, total) = (UInt64(running), UInt64(total))
    worker.pointee.tier.name.withCString {
      csb_usdt_worker_blocked($0, worker.traceNumber, running, total)
      if isReplaced { csb_usdt_worker_replaced($0, worker.traceNumber, running, total) }
    }
  }

  static func workerUnblocked(_ worker: WorkerPointer) {
    worker.pointee.tier.name.withCString { csb_usdt_worker_unblocked($0, worker.traceNumber) }
  }

  // MARK: Strings

  /// The room for a label or a name, and a zero. Tracers copy fewer bytes of a string.
  private static var room: Int { 256 }

  private static func withLabel(
    of queue: UnsafeRawPointer, _ fire: (UnsafePointer<CChar>) -> Void
  ) {
    withRoom {
      csb_queue_label(queue, $0, room)
      fire($0)
    }
  }

  /// - Parameter fire: gets what the resource is, and its name.
  private static func withWords(
    of resource: WaitResource, _ fire: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
  ) {
    let kind = cString(resource.view.title ?? "")
    if case .queue = resource.view.holder, let queue = resource.object {
      return withLabel(of: queue) { fire(kind, $0) }
    }
    withRoom {
      (resource.name ?? "").copyAsCString(to: UnsafeMutableBufferPointer(start: $0, count: room))
      fire(kind, $0)
    }
  }

  private static func withRoom(_ body: (UnsafeMutablePointer<CChar>) -> Void) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) {
      if let start = $0.baseAddress { body(start) }
    }
  }

  private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
    // SAFETY: a literal that is not a single character, so it has an address and ends with a zero.
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension String {
  /// Copies the text to `buffer` and ends it with a zero. Cuts a text that is too long, perhaps
  /// inside a character.
  package func copyAsCString(to buffer: UnsafeMutableBufferPointer<CChar>) {
    guard let last = buffer.indices.last else { return }
    var text = self
    text.withUTF8 { bytes in
      let count = min(bytes.count, last)
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
      buffer[count] = 0
    }
  }
}

extension WorkerPointer {
  fileprivate var traceNumber: UInt64 { UInt64(pointee.number) }
}

extension WaitReason {
  /// The reason as an argument of tracepoints. The article *Static tracepoints* lists the words.
  package var word: StaticString {
    switch self {
    case .sync: "sync"
    case .semaphore: "semaphore"
    case .group: "group"
    case .workItem: "work-item"
    case .once: "once"
    case .iterations: "iterations"
    case .mainQueue: "main-queue"
    case .test: "test"
    case .lock: "lock"
    case .readLock: "read-lock"
    case .writeLock: "write-lock"
    case .condition: "condition"
    case .join: "join"
    case .time: "time"
    case .value: "value"
    case .runLoop: "run-loop"
    case .perform: "perform"
    case .operation: "operation"
    case .operations: "operations"
    case .source: "source"
    }
  }
}
