// ThreadSafetyTests — the code of "Thread safety, class by class", and the claims of its
// tables.

import Glibc
import SignalboxConcurrency
import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxPatterns
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxThreads
import Synchronization
import Testing

private final class Parser {
  private var calls = 0
  func parse(_ text: String) -> Int {
    calls += 1
    return text.utf8.count
  }
}

// block: ThreadSafety/parser
/// A parser is for one thread at a time. This makes it safe for all.
final class SharedParser: Sendable {
  private let parser = Mutex(Parser())

  func parse(_ text: String) -> Int {
    parser.withLock { $0.parse(text) }
  }
}
// end

@Suite("Thread safety") struct ThreadSafetyTests {
  @Test func aParserForAll() {
    let parser = SharedParser()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in #expect(parser.parse("four") == 4) }
  }

  /// A class that is no longer `Sendable` does not compile here.
  @Test func theTypesThatTheTablesCallSendable() {
    func accept<T: Sendable & ~Copyable>(_: T.Type) {}
    accept(DispatchQueue.self)
    accept(DispatchSerialQueue.self)
    accept(DispatchConcurrentQueue.self)
    accept(DispatchWorkloop.self)
    accept(DispatchGroup.self)
    accept(DispatchSemaphore.self)
    accept(DispatchOnce.self)
    accept(DispatchSource.self)
    accept(DispatchIO.self)
    accept(DispatchSpecificKey<Int>.self)
    accept(DispatchData.self)
    accept(NSLock.self)
    accept(NSRecursiveLock.self)
    accept(SpinLock.self)
    accept(NSCondition.self)
    accept(NSConditionLock.self)
    accept(ReadWriteLock.self)
    accept(NSDistributedLock.self)
    accept(Once.self)
    accept(Lazy<Int>.self)
    accept(UnfairLock.self)
    accept(OSAllocatedUnfairLock<Int>.self)
    accept(JoinableThread<Int, any Error>.self)
    accept(CFRunLoop.self)
    accept(CFRunLoopTimer.self)
    accept(CFRunLoopSource.self)
    accept(CFRunLoopObserver.self)
    accept(Port.self)
    accept(MessagePort.self)
    accept(SocketPort.self)
    accept(CFAllocator.self)
    accept(Operation.self)
    accept(BlockOperation.self)
    accept(AsynchronousOperation.self)
    accept(OperationQueue.self)
    accept(AsyncSerialWorker.self)
    accept(LimitedWorker.self)
    accept(Debouncer.self)
    accept(Isolated<Int>.self)
    accept(AsyncGate.self)
    accept(AsyncNotification.self)
  }

  @Test func everyPublicClassIsInTheArticle() throws {
    let here = #filePath
    let root = String(here[..<here.firstRange(of: "/Tests/ArticleTests/")!.lowerBound])
    let article = try ChildProgram(path: "/bin/cat").run(
      [root + "/Documentation/Signalbox.docc/ThreadSafety.md"]
    ).standardOutput
    let found = try ChildProgram(path: "/bin/grep").run([
      "-rhoE", "^(public|open) (final )?class [A-Z][A-Za-z]*", root + "/Sources/",
      "--include=*.swift", "--exclude-dir=Apple",
    ]).standardOutput
    let classes = Set(found.split(separator: "\n").compactMap { $0.split(separator: " ").last })
    #expect(classes.count > 40)
    let missing = classes.filter { !article.contains("`\($0)`") }
    #expect(missing.isEmpty, "\(missing)")
  }

  @Test func aLoopThatAnotherThreadRuns() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(120)
      Thread.detachNewThread {
        // block: ThreadSafety/loop
        // On a thread other than the main one:
        RunLoop.main.run()
        // end
        exit(EXIT_SUCCESS)
      }
      while true { pause() }
    }
    // block: ThreadSafety/loop-said
    let said = """
      SIGNALBOX: run() was called on the main run loop by thread 2 (kernel
      4711) and had no effect: only the loop's own thread can run it. Call
      it there, or submit work with perform(_:).
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
