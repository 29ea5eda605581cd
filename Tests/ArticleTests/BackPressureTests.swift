// BackPressureTests — the code of "Back-pressure".

import Glibc
import SignalboxDispatch
import SignalboxOperations
import SignalboxPatterns
import SignalboxTestSupport
import Synchronization
import Testing

// block: BackPressure/bounded
/// A serial queue that holds a limited number of items.
final class BoundedQueue: Sendable {
  private let queue: DispatchQueue
  private let room: DispatchSemaphore

  init(label: String, capacity: Int) {
    queue = DispatchQueue(label: label)
    room = DispatchSemaphore(value: capacity)
  }

  /// Submits `work`. If the queue is full, the caller waits here until an item has ended.
  func async(_ work: @escaping @Sendable () -> Void) {
    room.wait()
    submit(work)
  }

  /// Submits `work` unless the queue is full.
  ///
  /// - Returns: whether there was room.
  func tryAsync(_ work: @escaping @Sendable () -> Void) -> Bool {
    guard room.wait(timeout: .now()) == .success else { return false }
    submit(work)
    return true
  }

  private func submit(_ work: @escaping @Sendable () -> Void) {
    queue.async { [room] in
      work()
      room.signal()
    }
  }
}
// end

// block: BackPressure/source
/// Reads from a descriptor, and stops while too many bytes are waiting to be handled.
// SAFETY: only items of `queue` use the mutable state.
final class Intake: @unchecked Sendable {
  private let source: any DispatchSourceRead
  private let queue: DispatchQueue
  private let worker = DispatchQueue(label: "org.example.intake.worker")
  private let handle: @Sendable ([UInt8]) -> Void
  private var waiting = 0  // bytes that were read and are not handled
  private var isPaused = false

  init(
    descriptor: Int32, queue: DispatchQueue, closed: @escaping @Sendable () -> Void,
    handle: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.queue = queue
    self.handle = handle
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in
      var buffer = Array(repeating: UInt8(0), count: 16 * 1024)
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return source.cancel() }
      if count > 0 { take(Array(buffer[..<count])) }
    }
    source.setCancelHandler { closed() }
    source.activate()
  }

  private func take(_ bytes: [UInt8]) {
    waiting += bytes.count
    if waiting >= 64 * 1024 && !isPaused {  // the high-water mark
      isPaused = true
      source.suspend()
    }
    worker.async { [self] in
      handle(bytes)
      queue.async { [self] in
        waiting -= bytes.count
        if waiting <= 16 * 1024 && isPaused {  // the low-water mark
          isPaused = false
          source.resume()
        }
      }
    }
  }
}
// end

@Suite("Back-pressure") struct BackPressureTests {
  @Test func theProducerIsNoFasterThanTheQueue() throws {
    let inQueue = Occupancy()
    let written = EventCounter()
    let write: @Sendable (Int) -> Void = { _ in
      written.increment()
      inQueue.leave()
    }
    let lines = (0..<1000).lazy.map { line in
      inQueue.enter()  // looked at by the loop, one line before it waits for room
      return line
    }
    // block: BackPressure/producer
    let log = BoundedQueue(label: "org.example.log", capacity: 16)
    for line in lines {
      log.async { write(line) }  // waits while 16 lines are on their way
    }
    // end
    let last = Gate()
    log.async { last.open() }
    try last.wait()
    #expect(written.value == 1000)
    #expect(inQueue.most <= 17)
  }

  @Test func aFullQueueRefuses() throws {
    let gate = Gate()
    let queue = BoundedQueue(label: "org.example.requests", capacity: 1)
    var answers: [String] = []
    let answer = { answers.append($0) }
    let compute: @Sendable () -> Void = { gate.pass() }
    func request() {
      // block: BackPressure/refuse
      if !queue.tryAsync({ compute() }) {
        answer("503 Service Unavailable")  // better than an answer that comes too late
      }
      // end
    }
    request()
    request()
    #expect(answers == ["503 Service Unavailable"])
    gate.open()
  }

  @Test func atMostFourJobsRunAtATime() throws {
    let inside = Occupancy()
    let done = EventCounter()
    let resize: @Sendable (Int) -> Void = { _ in
      inside.enter()
      inside.leave()
      done.increment()
    }
    let photos = 0..<200
    // block: BackPressure/limited
    let resizing = LimitedWorker(limit: 4, label: "org.example.resizing")
    for photo in photos {
      resizing.enqueueWork { resize(photo) }
    }
    // end
    try done.wait(for: 200)
    #expect(inside.most <= 4)
  }

  @Test func atMostFourOperationsRunAtATime() {
    let inside = Occupancy()
    let resize: @Sendable (Int) -> Void = { _ in
      inside.enter()
      inside.leave()
    }
    let photos = 0..<200
    // block: BackPressure/operations
    let resizing = OperationQueue()
    resizing.maxConcurrentOperationCount = 4
    for photo in photos {
      resizing.addOperation { resize(photo) }
    }
    // end
    resizing.waitUntilAllOperationsAreFinished()
    #expect(inside.entered == 200 && inside.most <= 4)
  }

  @Test func aSourceThatPauses() throws {
    let ends = try Ends()
    let (gate, first, closed) = (Gate(), Gate(), Gate())
    let handled = EventLog<Int>()
    let intake = Intake(
      descriptor: ends.input, queue: DispatchQueue(label: "org.example.intake"),
      closed: { closed.open() }
    ) { bytes in
      first.open()
      gate.pass()
      handled.append(bytes.count)
    }
    // What the pipe holds, and what is taken out of it: all the rest waits at the writer.
    let size = 1_000_000
    let written = EventCounter()
    let writer = try PlainThread {
      ends.put(numbered(size))
      written.increment()
      ends.closeOutput()
    }
    try first.wait()
    letRealTimePass(RealTime.settling)
    #expect(written.value == 0)
    gate.open()
    try closed.wait()
    try writer.join()
    while handled.all.reduce(0, +) < size { letRealTimePass(.microseconds(200)) }
    #expect(handled.all.reduce(0, +) == size)
    withExtendedLifetime(intake) {}
  }

  @Test func aLimitOfNone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = LimitedWorker(limit: 0, label: "org.example.resizing")
    }
    // block: BackPressure/limit-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: LimitedWorker(limit: 0),
      “org.example.resizing”: no job could ever start. Give a limit of 1
      or more.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func aJobThatForgetsToCallDone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      alarm(120)
      // block: BackPressure/done
      let uploads = LimitedWorker(limit: 1, label: "org.example.uploads")
      uploads.enqueueWork { done in
        print("never calls done")
      }
      uploads.enqueueWork { done in done() }
      // end
      while true { pause() }
    }
    // block: BackPressure/done-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: a job of the LimitedWorker
      “org.example.uploads” can never start: a job before it released
      the done block without calling it. Call the done block on every
      path, including the paths on which a job fails or is cancelled.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
