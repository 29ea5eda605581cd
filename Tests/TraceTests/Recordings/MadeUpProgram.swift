// MadeUpProgram — threads and queues that act at random, and a record of what they really did.
//
// It knows each item and each wait because it made them. It derives nothing from events, so it can
// judge code that does.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace

struct MadeUpProgram {
  struct Item: Hashable {
    var queue: UInt64
    var submitted: UInt64?
    var started: UInt64?
    var finished: UInt64?
    var submitter: UInt32
    var runner: UInt32 = 0
    var within: Int?
    var flags: UInt8 = 0
    var isSync = false
    var switches: UInt16 = 0
    var preempted: UInt32 = 0
  }

  struct Wait: Hashable {
    var thread: UInt32
    var object: UInt64
    var began: UInt64
    var ended: UInt64?
    var within: Int?
  }

  private struct Thread {
    var stack: [(item: Int, address: UInt64)] = []
    var wait: Int?
    var isParked = false
  }

  let threadCount: Int
  let queueCount: Int
  private(set) var items: [Item] = []
  private(set) var waits: [Wait] = []
  /// In the order of time; all times differ.
  private(set) var events: [TraceEvent] = []
  private var threads: [Thread]
  /// Submitted items that have not started, with their addresses.
  private var pending: [(item: Int, address: UInt64)] = []
  /// Like an allocator, it uses the address that was freed last first.
  private var freeAddresses: [UInt64] = []
  private var addresses: UInt64 = 0x7000
  private var now: UInt64 = 1_000_000
  private var generator: SeededGenerator

  init(
    threads: Int, queues: Int, steps: Int, generator: SeededGenerator
  ) {
    threadCount = threads
    queueCount = queues
    self.threads = [Thread](repeating: Thread(), count: threads)
    self.generator = generator
    for _ in 0..<steps { act() }
  }

  /// The program's image, without the events for which `isLost` is true; these count as lost.
  func image(
    _ isLost: (Int) -> Bool = { _ in false }, chunkSize: Int = 4096
  ) -> ImageBuilder {
    var image = ImageBuilder()
    image.chunkSize = chunkSize
    for queue in 0..<queueCount { image.queue(UInt64(100 + queue), "queue.\(queue)") }
    var lost = [UInt64](repeating: 0, count: threadCount + 1)
    for (index, event) in events.enumerated() {
      let thread = Int(event.thread)
      if isLost(index) {
        lost[thread] += 1
        image.eventsLost += 1
      } else {
        image.event(
          event.time - image.began, event.thread, event.kind, event.object, event.detail,
          flags: event.flags, a: event.a, b: event.b, lost: lost[thread])
        lost[thread] = 0
      }
    }
    return image
  }

  // MARK: Actions

  private mutating func act() {
    let thread = Int.random(in: 0..<threadCount, using: &generator)
    now += UInt64.random(in: 1...9, using: &generator)
    if let wait = threads[thread].wait {
      // The wait ends, or lasts a while longer.
      if Int.random(in: 0..<3, using: &generator) == 0 { endWait(thread, wait) }
      return
    }
    if threads[thread].isParked {
      emit(thread, .workerUnparked)
      threads[thread].isParked = false
      return
    }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0..<5: submit(thread)
    case 5..<8: start(thread)
    case 8..<12: finish(thread)
    case 12: sync(thread)
    case 13: beginWait(thread)
    case 14: emit(thread, .semaphoreSignalled, UInt64.random(in: 1...4, using: &generator))
    default:
      guard threads[thread].stack.isEmpty else { return }
      emit(thread, .workerParked)
      threads[thread].isParked = true
    }
  }

  private mutating func submit(_ thread: Int) {
    if freeAddresses.isEmpty {
      freeAddresses.append(addresses)
      addresses += 64
    }
    let address = freeAddresses.removeLast()
    let queue = anyQueue()
    let flags = UInt8.random(in: 0..<16, using: &generator)
    pending.append((items.count, address))
    items.append(
      Item(
        queue: queue, submitted: now, submitter: UInt32(thread + 1),
        within: threads[thread].stack.last?.item, flags: flags))
    emit(thread, .itemSubmitted, queue, address, flags: flags, a: 3)
  }

  private mutating func start(_ thread: Int) {
    guard let chosen = pending.indices.randomElement(using: &generator) else { return }
    let (item, address) = pending.remove(at: chosen)
    items[item].started = now
    items[item].runner = UInt32(thread + 1)
    threads[thread].stack.append((item, address))
    // The item's memory is free from here on: another item may have this address while it runs.
    freeAddresses.append(address)
    emit(thread, .itemStarted, items[item].queue, address)
  }

  private mutating func sync(_ thread: Int) {
    let queue = anyQueue()
    let called = now
    now += UInt64.random(in: 1...9, using: &generator)
    let item = Item(
      queue: queue, submitted: called, started: now, submitter: UInt32(thread + 1),
      runner: UInt32(thread + 1), within: threads[thread].stack.last?.item, flags: 1,
      isSync: true)
    threads[thread].stack.append((items.count, 0))
    items.append(item)
    emit(thread, .syncEntered, queue, called, flags: 1)
  }

  private mutating func finish(_ thread: Int) {
    guard let (item, address) = threads[thread].stack.popLast() else { return }
    items[item].finished = now
    if items[item].isSync { return emit(thread, .syncLeft, items[item].queue) }
    items[item].switches = UInt16.random(in: 0..<9, using: &generator)
    items[item].preempted = UInt32.random(in: 0..<9, using: &generator)
    emit(
      thread, .itemFinished, items[item].queue, address, a: items[item].switches,
      b: items[item].preempted)
  }

  private mutating func beginWait(_ thread: Int) {
    let object = UInt64.random(in: 1...4, using: &generator)
    threads[thread].wait = waits.count
    waits.append(
      Wait(
        thread: UInt32(thread + 1), object: object, began: now,
        within: threads[thread].stack.last?.item))
    emit(thread, .waitBegan, object, a: 1)
  }

  private mutating func endWait(_ thread: Int, _ wait: Int) {
    threads[thread].wait = nil
    waits[wait].ended = now
    emit(thread, .waitEnded, waits[wait].object, a: 1)
  }

  private mutating func anyQueue() -> UInt64 {
    UInt64(100 + Int.random(in: 0..<queueCount, using: &generator))
  }

  private mutating func emit(
    _ thread: Int, _ kind: EventKind, _ object: UInt64 = 0, _ detail: UInt64 = 0,
    flags: UInt8 = 0, a: UInt16 = 0, b: UInt32 = 0
  ) {
    events.append(
      TraceEvent(
        time: now, thread: UInt32(thread + 1), kind: kind, flags: flags, a: a, b: b,
        object: object, detail: detail))
  }
}
