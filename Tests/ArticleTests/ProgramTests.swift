// ProgramTests — runs the documents' programs.

import Glibc
import SignalboxTestSupport
import Testing

/// What the program of "Errors in threads" prints.
// block: ErrorsInThreads/said
private let imported = """
  b.txt was skipped
  the import has stopped: DiskFull()
  2 files were imported
  """
// end

/// What the program of "Graceful shutdown" prints.
// block: GracefulShutdown/said
private let answered = """
  SIGTERM: accepting no more requests
  refused a request
  answered a request
  all requests are answered
  """
// end

// block: GracefulShutdown/late-said
private let givenUp = """
  SIGTERM: accepting no more requests
  giving up some requests
  """
// end

/// What the clients of "Serving sockets" print.
// block: ServingSockets/said
private let served = """
  hello → HELLO
  100 lines → 100 answers in order
  100 clients → 100 answers
  a line of 100,000 bytes → 0 bytes
  a → A
  after SIGTERM → B, C
  a new client → refused
  all lines are answered
  the server's status: 0, by signal: 0
  """
// end

@Suite("Whole programs of the documents") struct ProgramTests {
  @Test(arguments: [
    ("serve", "served, adopted: true\n"),
    ("show", "loaded\nshown\n"), ("import", imported + "\n"),
    ("upload", "DiskFull(): try again?\nDiskFull(): try again?\n"),
    ("shutdown", answered + "\n"), ("talk", served + "\n"),
  ])
  func printsTheOutputInTheDocument(program: String, output: String) throws {
    let outcome = try ChildProgram("ArticleProgram").run([program])
    #expect(outcome.exit == .code(0))
    #expect(outcome.standardOutput == output)
    #expect(outcome.standardError == "")
  }

  @Test func aShutdownThatTakesTooLong() throws {
    let outcome = try ChildProgram("ArticleProgram").run(["late"])
    #expect(outcome.exit == .code(EXIT_FAILURE))
    #expect(outcome.standardOutput == givenUp + "\n")
    #expect(outcome.standardError == "")
  }

  @Test func theTimelineOfTheServer() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/served.txt"
    let outcome = try ChildProgram("ArticleProgram").run(["talk", file])
    #expect(outcome.standardOutput == served + "\n")
    let words = try ChildProgram(path: "/bin/cat").run([file]).standardOutput
    #expect(words.contains("org.example.server") && words.contains("org.example.database"))
  }

  @Test func locksInBothOrdersAreReported() throws {
    // block: TestingQueues/lock-order-said
    let said = """
      SIGNALBOX: lock order: thread 1 (kernel 4711, "bank", the main
      thread) took the NSLock "accounts" while it held the NSLock
      "ledger"; thread 1 (kernel 4711, "bank", the main thread) took the
      NSLock "ledger" while it held the NSLock "accounts". Threads that do
      so at the same time wait for each other forever. Take the locks in
      the same order everywhere, or leave one before taking the next.
      """
    // end
    let outcome = try ChildProgram("ArticleProgram").run(
      ["order"], environment: ["SIGNALBOX_CHECK": "lock-order"])
    #expect(outcome.exit == .code(0))
    #expect(outcome.standardOutput == "deposit\naudit\n")
    Said.expect(Array(outcome.standardError.utf8), said)
  }
}
