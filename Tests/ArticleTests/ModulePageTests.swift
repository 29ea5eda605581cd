// ModulePageTests — the code at the top of each module's page, and that of ARCHITECTURE.

import Glibc
import SignalboxTestSupport
import Testing

// block: SignalboxDispatch/start
import SignalboxDispatch

// end
// block: SignalboxLocks/start
import SignalboxLocks

// end
// block: SignalboxOperations/start
import SignalboxOperations

// end
// block: SignalboxPatterns/start
import SignalboxPatterns

// end
// block: SignalboxRunLoop/start
import SignalboxRunLoop

// end
// block: SignalboxThreads/start
import SignalboxThreads

// end
// block: SignalboxTrace/start
import SignalboxTrace

// end

@Suite("Pages of modules", .serialized) struct ModulePageTests {
  @Test func dispatch() {
    // block: SignalboxDispatch/start
    let results = DispatchQueue(label: "org.example.results")
    let group = DispatchGroup()

    for number in 1...3 {
      DispatchQueue.global().async(group: group) {
        let square = number * number
        results.sync { print(square) }
      }
    }
    group.wait()
    // end
    #expect(group.wait(timeout: .now()) == .success)
  }

  @Test func locks() {
    var balance = 0
    // block: SignalboxLocks/start
    let lock = NSLock()
    lock.name = "accounts"
    lock.withLock { balance += 10 }
    // end
    #expect(balance == 10)
  }

  @Test func operations() {
    struct Page: Sendable {
      let render: @Sendable () -> Void
    }
    let log = EventCounter()
    let pages = (0..<5).map { _ in Page { log.increment() } }
    let seenByIndex = Guarded(0)
    let writeIndex: @Sendable () -> Void = { seenByIndex.withValue { $0 = log.value } }
    // block: SignalboxOperations/start
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    let index = BlockOperation { writeIndex() }
    for page in pages {
      let render = BlockOperation { page.render() }
      index.addDependency(render)
      queue.addOperation(render)
    }
    queue.addOperation(index)
    // end
    queue.waitUntilAllOperationsAreFinished()
    #expect(seenByIndex.current == 5)
  }

  @Test func patterns() throws {
    let photos = ["a", "b", "c"]
    let arrived = EventLog<String>()
    let count = EventCounter()
    let upload: @Sendable (String, @escaping @Sendable () -> Void) -> Void = { photo, done in
      DispatchQueue.global().async {
        arrived.append(photo)
        done()
        count.increment()
      }
    }
    // block: SignalboxPatterns/start
    let uploads = AsyncSerialWorker()
    for photo in photos {
      uploads.enqueueWork { done in
        upload(photo) { done() }
      }
    }
    // end
    try count.wait(for: 3)
    #expect(arrived.all == photos)
  }

  @Test func runLoop() throws {
    let asked = EventCounter()
    let thread = JoinableThread {
      let loop = CFRunLoopGetCurrent()
      let print: @Sendable (String) -> Void = { _ in asked.increment() }
      // block: SignalboxRunLoop/start
      var context = CFRunLoopSourceContext()
      context.perform = { _ in print("asked") }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(loop, source, .defaultMode)

      // From any other thread:
      DispatchQueue.global().async {
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
      }
      CFRunLoopRunInMode(.defaultMode, 60, true)
      // end
    }
    thread.start()
    thread.join()
    #expect(asked.value == 1)
  }

  @Test func threads() throws {
    struct Catalogue: Sendable, Equatable { var pages = 7 }
    let loadCatalogue: @Sendable () throws -> Catalogue = { Catalogue() }
    // block: SignalboxThreads/start
    let worker = JoinableThread { try loadCatalogue() }
    worker.thread.name = "catalogue"
    worker.thread.qualityOfService = .userInitiated
    worker.start()
    let catalogue = try worker.join()
    // end
    #expect(catalogue == Catalogue())
  }

  @Test func trace() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/work.html"
    let work = { DispatchQueue(label: "org.example.traced").sync {} }
    // block: SignalboxTrace/start
    try TraceRecorder.start()
    work()
    TraceRecorder.stop()
    try TraceRecorder.write(to: path)
    // end
    #expect(access(path, R_OK) == 0)
    // block: SignalboxTrace/report
    SignalboxReport.print()
    // end
    #expect(SignalboxReport.now.json.contains("thread"))
  }

  // This test is here because a process has only one recorder.
  @Test func marksInARecording() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/import.html"
    let decode: @Sendable (Int) -> Void = { _ in }
    // block: ProfilingOnLinux/record
    let photos = DispatchQueue(label: "org.example.photos", attributes: .concurrent)
    let group = DispatchGroup()
    try TraceRecorder.start()
    TraceRecorder.mark("import begins")
    for number in 1...8 {
      photos.async(group: group) { decode(number) }
    }
    group.wait()
    TraceRecorder.mark("import is over")
    TraceRecorder.stop()
    try TraceRecorder.write(to: path)
    // end
    #expect(access(path, R_OK) == 0)
  }

  @Test func intervals() {
    let queue = DispatchQueue(label: "org.example.replies")
    let decode: @Sendable (String) -> Int = { $0.count }
    let reply: @Sendable (String) -> Void = { _ in }
    let (file, path) = ("goofy.jpg", "/index.html")
    // block: ProfilingOnLinux/intervals
    let image = TraceRecorder.interval("decode", file) { decode(file) }

    let request = TraceRecorder.beginInterval("request", path)
    queue.async {
      reply(path)
      request.end()
    }
    // end
    #expect(image == 9)
    queue.sync {}
  }

  @Test func architecture() {
    // block: ARCHITECTURE/async
    let queue = DispatchQueue(label: "com.example.log")
    queue.async { print("hello") }
    // end
    queue.sync {}
  }
}
