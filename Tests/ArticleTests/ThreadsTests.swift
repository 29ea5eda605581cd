// ThreadsTests — the code of "Threads".

import Glibc
import SignalboxDispatch
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxThreads
import Synchronization
import Testing

@Suite("Threads") struct ThreadsTests {
  @Test func aThreadWithAResult() throws {
    struct Index: Sendable, Equatable { var entries = 3 }
    let readIndex: @Sendable () throws -> Index = { Index() }
    // block: Threads/join
    let reader = JoinableThread { try readIndex() }
    reader.name = "index"
    reader.thread.stackSize = 1 << 20
    reader.start()
    let index = try reader.join()  // rethrows what the thread threw
    // end
    #expect(index == Index())
  }

  @Test func aResidentThread() {
    let handled = EventLog<Int>()
    let handle: @Sendable (Int) -> Void = { handled.append($0) }
    // block: Threads/resident
    let isUp = DispatchSemaphore(value: 0)
    let loop = Mutex<CFRunLoop?>(nil)  // of Synchronization
    let resident = JoinableThread {
      let own = RunLoop.current
      let port = Port()
      own.add(port, forMode: .default)  // a loop with nothing to serve would end at once
      loop.withLock { $0 = CFRunLoopGetCurrent() }
      isUp.signal()
      while !Thread.current.isCancelled {
        _ = own.run(mode: .default, before: .distantFuture)
      }
      port.invalidate()
    }
    resident.start()
    isUp.wait()
    let served = loop.withLock { $0 }!

    CFRunLoopPerformBlock(served, .defaultMode) { handle(1) }
    CFRunLoopPerformBlock(served, .defaultMode) {
      handle(2)
      Thread.current.cancel()
      CFRunLoopStop(served)
    }
    CFRunLoopWakeUp(served)
    resident.join()
    // end
    #expect(handled.all == [1, 2])
  }

  @Test func itsOwnDictionary() {
    let seen = EventCounter()
    // block: Threads/dictionary
    let thread = JoinableThread {
      Thread.current.threadDictionary["buffer"] = Array(repeating: UInt8(0), count: 4096)
      // … any code that runs on this thread finds it there
    }
    // end
    thread.start()
    thread.join()
    seen.increment()
    #expect(Thread.current.threadDictionary["buffer"] == nil)
  }

  @Test func joinedTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse()
      func misuse() {
        // block: Threads/joined-twice
        let thread = JoinableThread {}
        thread.name = "index"
        thread.start()
        thread.join()
        thread.join()
        // end
      }
    }
    // block: Threads/joined-twice-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: the thread "index" was joined, but it
      has been joined already: join or detach a thread once.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
  @Test func aStackThatIsUsedUp() async {
    let result = await #expect(
      processExitsWith: .signal(SIGSEGV), observing: [\.standardErrorContent]
    ) {
      overflow()
      func overflow() {
        // block: Threads/stack-used-up
        @Sendable func dots(_ count: Int) -> String { count == 0 ? "" : dots(count + 1) + "." }

        let thread = Thread { print(dots(1)) }
        thread.name = "index"
        thread.stackSize = 16 * 1024
        thread.start()
        // end
        while true { pause() }
      }
    }
    // block: Threads/stack-used-up-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: stack overflow on thread 1 (kernel 4711,
      "index"): all 16 KiB of its stack are used. Most often a function calls
      itself without end. If the work needs a larger stack, set a larger
      stackSize before start().
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
