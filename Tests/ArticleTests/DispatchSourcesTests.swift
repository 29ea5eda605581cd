// DispatchSourcesTests — the code of "Dispatch sources".

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Dispatch sources") struct DispatchSourcesTests {
  @Test func aReadSourceReadsUntilTheEndAndClosesItsDescriptor() throws {
    let received = EventLog<String>()
    let closed = EventCounter()
    let ends = try Ends()
    let descriptor = fcntl(ends.input, F_DUPFD_CLOEXEC, 0)
    let consume: @Sendable (ArraySlice<UInt8>) -> Void = {
      received.append(String(decoding: $0, as: UTF8.self))
    }
    let close: @Sendable (Int32) -> Void = {
      Glibc.close($0)
      closed.increment()
    }
    // block: DispatchSources/read
    let queue = DispatchQueue(label: "org.example.input")
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      var buffer = Array(repeating: UInt8(0), count: 4096)
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        consume(buffer[..<count])
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        source.cancel()  // the end, or an error
      }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    // end
    ends.put(Array("signal".utf8))
    try received.wait(forCount: 1)
    ends.put(Array("box".utf8))
    ends.closeOutput()
    try closed.wait(for: 1)
    #expect(received.all.joined() == "signalbox")
    #expect(source.isCancelled && closed.value == 1)
  }

  @Test func aWriteSourceRunsOnlyWhileBytesAreLeft() throws {
    let ends = try Ends()
    let queue = DispatchQueue(label: "org.example.output")
    let outbox = Outbox(descriptor: ends.output, queue: queue)
    let bytes = numbered(300_000)  // more than a pipe holds
    queue.async { outbox.send(bytes) }
    #expect(ends.takeAll(bytes.count) == bytes)
    queue.async { outbox.send([1, 2, 3]) }
    #expect(ends.takeAll(3) == [1, 2, 3])
    let closed = Gate()
    queue.async { outbox.close { closed.open() } }
    try closed.wait()
  }

  @Test func aSignalThatIsCounted() throws {
    try SpareSignal.with { signals in
      let reloads = EventCounter()
      let reloadSettings: @Sendable () -> Void = { reloads.increment() }
      let SIGHUP = signals[0]
      // block: DispatchSources/signal
      let hangUp = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
      hangUp.setEventHandler { reloadSettings() }
      hangUp.activate()
      // end
      kill(getpid(), SIGHUP)
      try reloads.wait(for: 1)
      hangUp.cancel()
    }
  }

  @Test func theEndOfAChild() throws {
    let statuses = EventLog<Int32>()
    let child = try Self.start("/bin/sh", "-c", "exit 3")
    let report: @Sendable (Int32) -> Void = { statuses.append($0) }
    // block: DispatchSources/process
    let ended = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
    ended.setEventHandler {
      var status: Int32 = 0
      waitpid(child, &status, 0)  // returns at once: the child has ended
      report((status >> 8) & 0xFF)
      ended.cancel()
    }
    ended.activate()
    // end
    #expect(try statuses.wait(forCount: 1) == [3])
  }

  private static func start(_ arguments: String...) throws -> pid_t {
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let error = posix_spawn(&process, arguments[0], nil, nil, &pointers, environ)
    #expect(error == 0)
    return process
  }

  @Test func aFileThatIsWritten() throws {
    let folder = try TemporaryFolder()
    try folder.write("settings.json", "{}")
    let path = folder.path + "/settings.json"
    let reloads = EventCounter()
    let reload: @Sendable () -> Void = { reloads.increment() }
    let queue = DispatchQueue(label: "org.example.settings")
    // block: DispatchSources/file
    let file = open(path, O_RDONLY | O_CLOEXEC)
    let changed = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: file, eventMask: [.write, .delete, .rename], queue: queue)
    changed.setRegistrationHandler { reload() }  // what was written before the source was active
    changed.setEventHandler {
      if changed.data.contains(.write) { reload() }
      if !changed.data.isDisjoint(with: [.delete, .rename]) {
        changed.cancel()  // open the path again, and make a new source
      }
    }
    changed.setCancelHandler { close(file) }
    changed.activate()
    // end
    try reloads.wait(for: 1)
    try folder.write("settings.json", "{ \"port\": 8080 }")
    try reloads.wait(for: 2)
    unlink(path)
    let cancelled = Gate()
    try wait(until: { changed.isCancelled })
    queue.async { cancelled.open() }
    try cancelled.wait()
  }

  private func wait(until condition: () -> Bool) throws {
    let end = Uptime.now() + RealTime.wedge
    while !condition() {
      guard Uptime.now() < end else { throw Wedge.found("the source is not cancelled") }
      letRealTimePass(.microseconds(200))
    }
  }

  @Test func additionsFromManyThreadsMakeFewCalls() throws {
    let files = Array(0..<1000)
    let shown = EventLog<Int>()
    let all = Gate()
    let show: @Sendable (Int) -> Void = {
      shown.append($0)
      if $0 == files.count { all.open() }
    }
    let convert: @Sendable (Int) -> Void = { _ in }
    let ui = DispatchQueue(label: "org.example.ui")
    // block: DispatchSources/user-data
    // SAFETY: sources may be used from any thread.
    nonisolated(unsafe) let progress = DispatchSource.makeUserDataAddSource(queue: ui)
    // SAFETY: only touched by the handler, on `ui`.
    nonisolated(unsafe) var done = 0
    progress.setEventHandler {
      done += Int(progress.data)
      show(done)
    }
    progress.activate()

    DispatchQueue.concurrentPerform(iterations: files.count) { index in
      convert(files[index])
      progress.add(data: 1)
    }
    // end
    try all.wait()
    progress.cancel()
    #expect(shown.all == shown.all.sorted() && shown.count <= files.count)
  }

  // MARK: Misuse

  @Test func releasedBeforeItWasActive() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // block: DispatchSources/inactive
      func watch(_ descriptor: Int32) {
        let queue = DispatchQueue(label: "org.example.input")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { print("never") }
      }
      watch(0)
      // end
    }
    // block: DispatchSources/inactive-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: the read source for descriptor 0 on
      the queue "org.example.input" was released while inactive: call
      activate() or resume() before the last reference goes away, even
      if it is cancelled.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func resumedTooOften() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = DispatchQueue(label: "org.example.input")
      let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: queue)
      source.activate()
      source.resume()
    }
    // block: DispatchSources/resumed-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: resume() on the read source for
      descriptor 0 on the queue "org.example.input", which is neither
      inactive nor suspended: each resume() needs a suspend() before it.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func aDescriptorOfACallThatHasFailed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let descriptor = open("/no/such/file", O_RDONLY)
      _ = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    }
    // block: DispatchSources/negative-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX:
      DispatchSource.makeReadSource(fileDescriptor: -1): a descriptor is
      0 or more. Did the call that should have opened it fail?
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func aDescriptorThatIsClosedAlready() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(120)
      let ended = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeReadSource(fileDescriptor: 700)
      source.setCancelHandler { ended.signal() }
      source.activate()
      ended.wait()
      exit(EXIT_SUCCESS)
    }
    // block: DispatchSources/refused-said
    let said = """
      SIGNALBOX: the read source for descriptor 700 could not be
      registered (errno 9, Bad file descriptor): the source is
      cancelled, and its handler is never called.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}

// block: DispatchSources/write
/// Sends bytes through a non-blocking descriptor.
// SAFETY: only items of `queue` use it.
final class Outbox: @unchecked Sendable {
  private let descriptor: Int32
  private let source: any DispatchSourceWrite
  private var pending: [UInt8] = []
  private var isPaused = true

  init(descriptor: Int32, queue: DispatchQueue) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [unowned self] in flush() }
  }

  func send(_ bytes: [UInt8]) {
    pending += bytes
    if isPaused {
      isPaused = false
      source.resume()  // the first time, this activates it
    }
  }

  private func flush() {
    let count = write(descriptor, pending, pending.count)
    if count > 0 { pending.removeFirst(count) }
    if pending.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) {
      isPaused = true
      source.suspend()  // a source that has nothing to write would fire again and again
    }
  }

  func close(_ done: @escaping @Sendable () -> Void) {
    source.setCancelHandler(handler: done)
    source.cancel()
    if isPaused { source.resume() }  // a suspended source calls no cancel handler
  }
}
// end
