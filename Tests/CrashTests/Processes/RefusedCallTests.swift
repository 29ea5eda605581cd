// A sandbox that refuses a call: the library does without it, or says which it was.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Refused calls", .guarded)
struct RefusedCallTests {
  /// How a filter refuses: as unknown, or as not allowed.
  static let errors = [ENOSYS, EPERM]

  private func run(_ call: String, _ error: Int32) throws -> ChildProgram.Outcome {
    try ChildProgram.run(
      MachineScenario.refusedCall, [call, "\(error)"])
  }

  @Test(arguments: ["sched_getaffinity", "prctl"], errors)
  func theProcessContinuesWithoutThem(_ call: String, _ error: Int32) throws {
    let outcome = try run(call, error)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["items"] == "ran")
    #expect(outcome.facts["timers"] == "ran")
    #expect(outcome.facts["main"] == "ran")
    #expect(outcome.standardError == "")
  }

  /// Files that cannot be opened leave the limits on processor time unknown.
  @Test(arguments: errors)
  func missingFilesAreNamedAndTheProcessContinues(_ error: Int32) throws {
    let outcome = try run("openat", error)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["main"] == "ran")
    #expect(outcome.standardError.contains("/proc/self/cgroup cannot be read (errno \(error))"))
  }

  /// What needs the call ends the process; items continue until then.
  @Test(
    arguments: [
      ("epoll_create1", "epoll_create1", "items"), ("epoll_ctl", "epoll_ctl", "items"),
      ("timerfd_create", "timerfd_create", "items"), ("eventfd2", "eventfd", "timers"),
    ], errors)
  func theRefusedCallIsNamed(
    _ call: (refused: String, named: String, before: String), _ error: Int32
  )
    throws
  {
    let outcome = try run(call.refused, error)
    #expect(outcome.exit == .signal(SIGABRT))
    #expect(outcome.facts[call.before] == "ran")
    #expect(outcome.facts["main"] == nil)
    let message = "SIGNALBOX CANNOT CONTINUE: \(call.named) failed with errno \(error): "
    #expect(outcome.standardError.contains(message), "\(outcome.standardError)")
    #expect(outcome.standardError.contains("seccomp"))
    #expect(!outcome.standardError.contains("BUG IN"))
  }

  /// A limit on threads: the pool continues with those that it has, reports it
  /// once, and starts more when it may, though nothing is submitted any more. With one processor, one
  /// of them watches the others, and must work when they wait.
  @Test(arguments: [false, true])
  func refusedThreadsAreStartedLater(onOneProcessor isAlone: Bool) throws {
    let outcome = try ChildProgram.run(MachineScenario.threadsRefused, isAlone ? ["1"] : [])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["ranWithThoseThere"] == "100")
    #expect(outcome.facts["early"] == "true")
    #expect(outcome.facts["waited"] == "24")
    let said = outcome.standardError.split(separator: "\n").filter {
      $0.contains("refused a thread (pthread_create failed with errno \(EAGAIN))")
    }
    #expect(said.count == 1, "\(outcome.standardError)")
  }
}
