// PosixThreadsTests — the code of "POSIX threads and Core Foundation's ports", first half.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

// block: PosixAndCoreFoundation/foreign
let ledger = NSLock()
// end

private let released = EventCounter()
private let foreignNames = EventLog<String?>()

@Suite("POSIX threads") struct PosixThreadsTests {
  @Test func aThreadWithAttributesAndAResult() {
    let countLines: @Sendable () -> Int = { 12 }
    // block: PosixAndCoreFoundation/create
    let counter = JoinableThread { countLines() }
    counter.name = "line counter"  // pthread_setname_np
    counter.thread.stackSize = 256 * 1024  // pthread_attr_setstacksize, in bytes
    do {
      try counter.tryStart()  // pthread_create
      let lines = counter.join()  // pthread_join
      print("\(lines) lines")
    } catch {
      print("no thread: errno \(error.code)")  // what pthread_create returned
    }
    // end
    #expect(counter.isFinished)
  }

  @Test func aResultFromAnyDepth() {
    // block: PosixAndCoreFoundation/exit
    @Sendable func search(_ number: Int) {
      if number == 42 { Thread.exit(returning: number) }  // pthread_exit(value)
      search(number + 1)
    }

    let finder = JoinableThread {
      search(0)
      return -1
    }
    finder.start()
    let found = finder.join()  // 42
    // end
    #expect(found == 42)
  }

  @Test func detachedBeforeAndAfterTheStart() throws {
    let swept = EventCounter()
    let sweepCache: @Sendable () -> Void = { swept.increment() }
    // block: PosixAndCoreFoundation/detach
    Thread { sweepCache() }.start()  // a Thread is detached: PTHREAD_CREATE_DETACHED

    let sweeper = JoinableThread { sweepCache() }
    sweeper.start()
    sweeper.detach()  // pthread_detach
    // end
    try swept.wait(for: 2)
  }

  @Test func valuesOfAThread() throws {
    // block: PosixAndCoreFoundation/keys
    final class Parser {
      deinit { parserIsGone() }  // in place of the key's destructor
    }

    let thread = JoinableThread {
      let values = Thread.current.threadDictionary
      values["parser"] = Parser()  // pthread_setspecific
      return values["parser"] is Parser  // pthread_getspecific
    }
    // end
    thread.start()
    #expect(thread.join())
    try released.wait(for: 1)
  }

  @Test func priorityBeforeAndAfterTheStart() {
    let isBuilt = DispatchSemaphore(value: 0)
    let buildIndex: @Sendable () -> Void = { isBuilt.wait() }
    // block: PosixAndCoreFoundation/priority
    let indexer = JoinableThread { buildIndex() }
    indexer.thread.threadPriority = 0.3  // pthread_attr_setschedparam
    indexer.start()
    let isLower = indexer.thread.setThreadPriority(0.1)  // pthread_setschedparam
    // end
    isBuilt.signal()
    indexer.join()
    #expect(isLower)
  }

  @Test func askedToEnd() {
    let rounds = EventCounter()
    let doOneRound: @Sendable () -> Void = {
      rounds.increment()
      sched_yield()
    }
    // block: PosixAndCoreFoundation/cancel
    let worker = JoinableThread {
      while !Thread.current.isCancelled { doOneRound() }
      // … the worker cleans up here, and returns
    }
    worker.start()
    worker.cancel()
    worker.join()
    // end
    #expect(worker.thread.isCancelled && worker.isFinished)
  }

  @Test func aThreadMadeByPthreadCreate() throws {
    // block: PosixAndCoreFoundation/foreign
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        Thread.current.name = "made by C"
        ledger.withLock { note(Thread.current.name) }
        DispatchQueue.global().sync { note(DispatchQueue.currentLabel) }
        return nil
      }, nil)
    pthread_join(thread, nil)
    // end
    #expect(foreignNames.all == ["made by C", "com.apple.root.default-qos"])
  }
}

private func parserIsGone() { released.increment() }

private func note(_ text: String?) { foreignNames.append(text) }
