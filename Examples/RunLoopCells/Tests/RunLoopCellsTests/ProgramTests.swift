// The program as a user runs it.

import Glibc
import Testing

@Suite struct ProgramTests {
  private static func contents(of path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func itEndsByItselfAfterSoManyRoundsAndTheCancelCallBacksRan() throws {
    try ChildProgram.withFolder { folder in
      let child = try ChildProgram.run(
        ["--rounds", "4", "--pause", "0.01", "--out", "\(folder)/out"])
      #expect(child.status == 0, "\(child.output)")
      for round in 1...4 { #expect(child.output.contains("round \(round) of 4\n")) }
      #expect(!child.output.contains("round 5"))
      #expect(
        child.output.contains(
          "call-backs: schedule buttons, \(Self.oneRun), cancel buttons\n"))
      #expect(child.output.contains("4 rounds computed"))
      #expect(!child.output.contains("\u{1B}"), "no colours where there is no terminal")
      let page = try Self.contents(of: "\(folder)/out/index.html")
      #expect(page.contains("4 rounds"))
      #expect(page.contains(", and stopped"))
      #expect(!page.contains("http-equiv"))
    }
  }

  /// The call-backs from a Start to the next Stop.
  private static let oneRun = "schedule main, schedule alphas, cancel alphas, cancel main"

  @Test func startAfterStopBeginsARunWithNewSourcesAndANewThread() throws {
    try ChildProgram.withFolder { folder in
      let child = try ChildProgram.run(
        ["--rounds", "3", "--runs", "3", "--pause", "0.01", "--out", "\(folder)/out"])
      #expect(child.status == 0, "\(child.output)")
      for round in 1...9 { #expect(child.output.contains("round \(round) of 9\n")) }
      let runs = Array(repeating: Self.oneRun, count: 3).joined(separator: ", ")
      #expect(child.output.contains("call-backs: schedule buttons, \(runs), cancel buttons\n"))
      #expect(try Self.contents(of: "\(folder)/out/index.html").contains("9 rounds"))
    }
  }

  @Test func alphasAreComputedOnTheSecondThreadAndDrawnOnTheMainThread() throws {
    try ChildProgram.withFolder { folder in
      let child = try ChildProgram.run(
        ["--rounds", "3", "--pause", "0.01", "--out", "\(folder)/out"])
      let words = "; computed on the thread “alphas”, drawn on the main thread; "
      #expect(child.output.contains(words), "\(child.output)")
    }
  }

  /// Each turn that is over before a question comes is one that only its time has ended.
  @Test func theSecondThreadGoesOnWithAnotherTurnUntilItIsStopped() throws {
    try ChildProgram.withFolder { folder in
      let child = try ChildProgram.run(
        ["--rounds", "2", "--pause", "1", "--turn", "0.01", "--out", "\(folder)/out"])
      #expect(child.status == 0, "\(child.output)")
      let words = child.output.split(separator: " ")
      let place = try #require(words.firstIndex(of: "turns"))
      #expect(try #require(Int(words[place - 1])) > 3)
      #expect(child.output.contains("2 rounds computed"))
    }
  }

  @Test func onATerminalItDrawsInColoursOverTheLastAndAKeyEndsIt() throws {
    try ChildProgram.withFolder { folder in
      let (child, isAsBefore) = try ChildProgram.runOnTerminal(
        ["--pause", "0.02", "--out", "\(folder)/out"], pressing: [("q", after: ["round 3"])])
      #expect(child.status == 0, "\(child.output)")
      #expect(child.output.contains("\u{1B}[38;2;"), "24-bit colours")
      // 60 columns and 24 lines: 11 cells by 8, with a line above and one below.
      #expect(child.output.contains("\u{1B}[23A\r"), "goes back over the last drawing")
      #expect(child.output.contains("call-backs: schedule buttons, \(Self.oneRun), cancel"))
      #expect(child.output.contains("\u{1B}[?25h"), "the cursor is shown again")
      #expect(isAsBefore, "the terminal is as it was")
      #expect(try Self.contents(of: "\(folder)/out/index.html").contains(", and stopped"))
    }
  }

  @Test func onATerminalTheSpaceBarStopsAndStarts() throws {
    try ChildProgram.withFolder { folder in
      let (child, isAsBefore) = try ChildProgram.runOnTerminal(
        ["--pause", "0.02", "--out", "\(folder)/out"],
        // What is drawn once more after a stop has the last round's number, too: the next run's
        // rounds are those behind the words of a run.
        pressing: [
          (" ", after: ["round 3"]), (" ", after: ["space starts"]),
          (" ", after: ["space stops", "round 6"]), (" ", after: ["space starts"]),
          ("q", after: ["space stops", "round 9"]),
        ])
      #expect(child.status == 0, "\(child.output)")
      let runs = Array(repeating: Self.oneRun, count: 3).joined(separator: ", ")
      #expect(child.output.contains("call-backs: schedule buttons, \(runs), cancel buttons\r\n"))
      #expect(isAsBefore, "the terminal is as it was")
    }
  }

  @Test func aPageThatCannotBeWrittenIsSaidAndEverythingElseGoesOn() throws {
    let child = try ChildProgram.run(
      ["--rounds", "2", "--pause", "0.01", "--out", "/dev/null/out"])
    #expect(child.status == 1)
    #expect(child.output.contains("round 2 of 2"))
    #expect(child.output.contains("RunLoopCells: /dev/null/out: Not a directory"))
  }

  @Test(arguments: [
    ["--rounds", "0"], ["--rounds", "many"], ["--pause", "-1"], ["--pause", "nan"], ["--out"],
    ["--turn", "3601"], ["cells"], ["--runs", "0", "--rounds", "1"], ["--runs", "2"],
  ])
  func whatMakesNoSenseIsRefused(_ arguments: [String]) throws {
    let child = try ChildProgram.run(arguments)
    #expect(child.status == 2)
    #expect(child.output.contains("--help"))
  }
}
