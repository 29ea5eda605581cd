// ErrorsInThreadsTests — the code of "Errors in threads". `ProgramTests` runs its program.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import SignalboxThreads
import Testing

@testable import ArticleProgram

@Suite("Errors in threads") struct ErrorsInThreadsTests {
  @Test func anErrorReachesTheJoiningThread() {
    let log = EventLog<String>()
    let print: @Sendable (String) -> Void = { log.append($0) }
    let countLines: @Sendable (String) throws(BadFile) -> Int = { name throws(BadFile) in
      throw BadFile(name: name)
    }
    // block: ErrorsInThreads/join
    let counter = JoinableThread { () throws(BadFile) -> Int in try countLines("a.txt") }
    counter.start()
    do {
      print("\(try counter.join()) lines")
    } catch {
      print("\(error.name) cannot be read")  // error is a BadFile
    }
    // end
    #expect(log.all == ["a.txt cannot be read"])
  }

  @Test func withAHandlerTheProcessContinues() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      alarm(120)
      let sweepCache: @Sendable () throws -> Void = { throw DiskFull() }
      let isLogged = DispatchSemaphore(value: 0)
      let log: @Sendable (String) -> Void = {
        print($0)
        isLogged.signal()
      }
      // block: ErrorsInThreads/handler
      Thread.uncaughtErrorHandler = { uncaught in
        log("\(uncaught.thread): \(uncaught.error)")
      }

      let sweeper = Thread(throwing: { try sweepCache() })
      sweeper.name = "sweeper"
      sweeper.start()
      // end
      isLogged.wait()
    }
    // block: ErrorsInThreads/handler-said
    let said = """
      the thread "sweeper": DiskFull()
      """
    // end
    let heard = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(heard.contains(said))
  }

  @Test func withoutOneTheProcessEnds() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      alarm(120)
      let sweepCache: @Sendable () throws -> Void = { throw DiskFull() }
      let sweeper = Thread(throwing: { try sweepCache() })
      sweeper.name = "sweeper"
      sweeper.start()
      while true { pause() }
    }
    // block: ErrorsInThreads/trap-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: the thread "sweeper" ended with an
      uncaught error: DiskFull(). Catch it in the thread's
      body, join the thread, or set Thread.uncaughtErrorHandler.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
