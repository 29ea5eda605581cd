import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ChildProgramTests {
  let shell = ChildProgram(path: "/bin/sh")

  @Test func streamsAndStatusAreReturned() throws {
    let outcome = try shell.run(["-c", "echo a=1; echo b=x=y; echo wrong >&2; exit 3"])
    #expect(outcome.exit == .code(3))
    #expect(outcome.standardOutput == "a=1\nb=x=y\n")
    #expect(outcome.standardError == "wrong\n")
    #expect(outcome.facts == ["a": "1", "b": "x=y"])
  }

  @Test func signalIsDistinguishedFromAStatus() throws {
    #expect(try shell.run(["-c", "kill -6 $$"]).exit == .signal(6))
    #expect(try shell.run(["-c", "exit 6"]).exit == .code(6))
  }

  @Test func environmentIsInheritedWithItsChanges() throws {
    let outcome = try shell.run(
      ["-c", "echo \"first=$FIRST\"; echo \"path=$PATH\""], environment: ["FIRST": "one two"])
    #expect(outcome.facts["first"] == "one two")
    #expect(outcome.facts["path"]?.isEmpty == false)
  }

  @Test func moreThanAPipeHoldsIsRead() throws {
    let outcome = try shell.run(
      ["-c", "head -c 300000 /dev/zero | tr '\\0' x; head -c 200000 /dev/zero | tr '\\0' y >&2"])
    #expect(outcome.standardOutput.utf8.count == 300_000)
    #expect(outcome.standardError.utf8.count == 200_000)
  }

  @Test func resourceUsageIsTheChilds() throws {
    let outcome = try shell.run(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"])
    #expect(outcome.usage.ru_maxrss > 0)
    #expect(outcome.usage.ru_utime.tv_sec * 1_000_000 + Int(outcome.usage.ru_utime.tv_usec) > 0)
  }

  @Test func aProgramThatDoesNotEndIsKilledAndShown() throws {
    let outcome = try shell.run(["-c", "exec sleep 1000"], life: RealTime.delay)
    #expect(outcome.exit == .signal(9))
    // The report's words about this program, and the kernel's about its thread.
    #expect(outcome.standardError.contains("Signalbox"), "\(outcome.standardError)")
    #expect(outcome.standardError.contains(" switches\n"))
  }

  @Test func missingProgramIsAnError() {
    #expect(throws: SystemCallFailure.self) {
      try ChildProgram(path: "/nowhere/at/all").run()
    }
    #expect(throws: SystemCallFailure.self) { try ChildProgram("NoSuchExecutable") }
  }

  @Test func executableNextToTheTestsIsFound() throws {
    let program = try ChildProgram("CountedFacts")
    #expect(program.path.hasSuffix("/CountedFacts"))
  }
}
