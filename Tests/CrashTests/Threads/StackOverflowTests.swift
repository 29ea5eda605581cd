// What a thread says that uses up its stack, and that nothing else is said or changed.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct StackOverflowTests {
  private static func outcome(
    of scenario: any CountedScenario, _ environment: [String: String] = [:]
  ) throws -> ChildProgram.Outcome {
    let quiet = ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { _, new in new }
    return try ChildProgram.run(
      scenario, environment: quiet)
  }

  /// The message's number of the thread and the kernel's differ from run to run.
  private static func plain(_ message: String) -> String {
    message
      .replacing(#/thread \d+/#, with: "thread N")
      .replacing(#/kernel \d+/#, with: "kernel K")
  }

  private static func message(_ who: String, _ size: String, _ advice: String) -> String {
    "BUG IN CLIENT OF SIGNALBOX: stack overflow on thread N (kernel K\(who): all \(size) of its "
      + "stack are used. Most often a function calls itself without end. If the work needs a larger "
      + "stack, \(advice)\n"
  }

  private static let larger = "set a larger stackSize before start()."

  /// As `ulimit -s` has it, in words.
  private static var usualSize: String {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(3), &limit)
    let bytes = limit.rlim_cur > UInt(Int.max) ? 2 << 20 : limit.rlim_cur
    return bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }

  @Test(arguments: [
    (StackOverflowScenario.overflowOf16KiB, #", "org.example.network.reader")"#, "16 KiB"),
    (StackOverflowScenario.overflowOfTheUsualStack, ")", nil),
    (StackOverflowScenario.overflowOfAJoinableThread, #", "joined")"#, nil),
    (StackOverflowScenario.overflowOfTheSecondThread, #", "second")"#, "64 KiB"),
    (StackOverflowScenario.overflowOfARenamedThread, #", "after")"#, nil),
    (StackOverflowScenario.overflowByLargeFrames, #", "large")"#, "256 KiB"),
    // Of two bytes a letter, as many as there is room for.
    (StackOverflowScenario.overflowOf1MiB, ", \"\(String(repeating: "é", count: 47))\")", "1 MiB"),
    // It puts the default back.
    (StackOverflowScenario.ownHandlerThatReturns, #", "own")"#, "16 KiB"),
    (StackOverflowScenario.sourceAndOverflow, #", "source")"#, "16 KiB"),
  ])
  func aThreadReportsAStackOverflow(
    _ scenario: StackOverflowScenario, _ name: String, _ size: String?
  ) throws {
    let outcome = try Self.outcome(of: scenario)
    #expect(outcome.exit == .signal(SIGSEGV))
    let expected = Self.message(name, size ?? Self.usualSize, Self.larger)
    #expect(Self.plain(outcome.standardError) == expected)
  }

  @Test func aWorkerReportsAStackOverflow() throws {
    for (names, name) in [("", "sb-default-1"), ("queues", "example.parser")] {
      let environment = names.isEmpty ? [:] : ["SIGNALBOX_THREAD_NAMES": names]
      let outcome = try Self.outcome(of: StackOverflowScenario.overflowOfAWorker, environment)
      #expect(outcome.exit == .signal(SIGSEGV))
      let expected = Self.message(
        ", \"\(name)\"), a worker of the pool", Self.usualSize,
        "run it on a Thread with a larger stackSize. SIGNALBOX_THREAD_NAMES=queues shows the "
          + "queue's label as the name of the worker.")
      #expect(Self.plain(outcome.standardError) == expected)
    }
  }

  @Test func aForkedChildReportsAStackOverflowToo() throws {
    let outcome = try Self.outcome(of: StackOverflowScenario.overflowInAForkedChild)
    #expect(outcome.exit == .code(0))
    #expect(outcome.facts == ["status": "\(256 + SIGSEGV)"])
    let expected = Self.message(#", "child")"#, "16 KiB", Self.larger)
    #expect(Self.plain(outcome.standardError) == expected)
  }

  /// Since Linux 6.13 and glibc 2.42 a guard may be a part of the stack's mapping.
  @Test func aGuardWithinTheMappingIsKnown() throws {
    let outcome = try Self.outcome(of: StackOverflowScenario.overflowIntoAGuardOfTheMapping)
    if outcome.facts["refused"] == "\(EINVAL)" { return }
    #expect(outcome.exit == .signal(SIGSEGV))
    #expect(Self.plain(outcome.standardError) == Self.message(")", "256 KiB", Self.larger))
  }

  @Test(arguments: [
    StackOverflowScenario.overflowOfTheMainThread, .overflowOfAForeignThread, .nullPointerOnAThread,
    .nullPointerOnAWorker, .noAccessOnAThread, .sentSignalOnAThread,
    .ignoredFaults, .sourceAndANullPointer,
  ])
  func anotherCrashEndsTheProcessWithoutAMessage(_ scenario: StackOverflowScenario) throws {
    let outcome = try Self.outcome(of: scenario)
    #expect(outcome.exit == .signal(SIGSEGV))
    #expect(outcome.standardError.isEmpty)
  }

  /// Installed before the first thread it is called after the message; later it has the
  /// place of ours.
  @Test(arguments: [
    (StackOverflowScenario.ownHandlerBefore, true), (StackOverflowScenario.ownHandlerAfter, false),
    (StackOverflowScenario.ownHandlerAndANullPointer, false),
  ])
  func theProgramsOwnHandlerIsCalled(_ scenario: StackOverflowScenario, _ saysIt: Bool) throws {
    let outcome = try Self.outcome(of: scenario)
    #expect(outcome.exit == .code(33))
    let expected = saysIt ? Self.message(#", "own")"#, "16 KiB", Self.larger) : ""
    #expect(Self.plain(outcome.standardError) == expected)
  }

  /// Swift's own report of the crash follows, which a thread had none of without a stack for
  /// handlers.
  @Test func swiftsBacktraceFollows() throws {
    let outcome = try Self.outcome(
      of: StackOverflowScenario.overflowOf16KiB,
      ["SWIFT_BACKTRACE": "enable=yes,timeout=100s,interactive=no,color=no,limit=16"])
    #expect(outcome.exit == .signal(SIGSEGV))
    let expected = Self.message(#", "org.example.network.reader")"#, "16 KiB", Self.larger)
    let text = Self.plain(outcome.standardError)
    #expect(text.hasPrefix(expected))
    #expect(text.contains("Program crashed: Bad pointer dereference"))
  }

  @Test func aRecordingIsWrittenAsWell() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/overflow.sbtrace"
    let outcome = try Self.outcome(
      of: StackOverflowScenario.overflowOf16KiB, ["SIGNALBOX_TRACE": path])
    #expect(outcome.exit == .signal(SIGSEGV))
    let expected = Self.message(#", "org.example.network.reader")"#, "16 KiB", Self.larger)
    #expect(Self.plain(outcome.standardError).hasPrefix(expected))
    #expect(access(path, F_OK) == 0)
  }
}
