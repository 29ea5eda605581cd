// TopCommandTests — `signalbox top` on a terminal that the test plays, and in a pipe.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite struct TopCommandTests {
  private func load() throws -> LiveProgram {
    let program = try LiveProgram(WatchedScenario.watchedLoad)
    try #require(program.waitForFact("ready"))
    return program
  }

  /// The rows of the screen that show a queue.
  private func rows(_ label: String, _ screen: ScreenImage) -> [String] {
    screen.lines.filter { $0.contains(" serial ") && $0.hasSuffix(" \(label)") }
  }

  @Test func queuesAndThreadsAreShown() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait(for: "QUEUE")
      #expect(top.screen.isOtherScreen && !top.screen.hasCursor)
      // The second sample has rates.
      try top.wait("a rate") { screen in
        rows("load.0", screen).contains { !$0.contains(" - ") }
      }
      try top.wait("a thread that runs an item") { screen in
        screen.lines.contains { $0.contains("sb-default-") }
      }
      #expect(top.screen.lines[0].contains("CountedFacts \(program.process)"))
      // At the moment of a sample, no worker may run.
      try top.wait("workers that run") { screen in
        screen.lines.contains { $0.hasPrefix("default: ") && $0.contains("running") }
      }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.isRestored && top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func keysSortFilterFreezeAndOpen() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait(for: "sort:rate")
      top.type("sss")
      try top.wait(for: "sort:name")
      top.type("/load.1")
      try top.wait(for: "filter: load.1")
      top.type("\r")
      try top.wait("only one queue") { screen in
        rows("load.1", screen).count == 1 && rows("load.0", screen).isEmpty
          && screen.lines.contains { $0.contains("/ filter:load.1") }
      }
      top.type("\r")
      try top.wait("the queue alone") { screen in
        screen.lines.contains("queue    load.1") && screen.lines.contains("kind     serial")
      }
      top.type("\u{1B}")
      try top.wait(for: "QUEUE")
      top.type("\u{1B}")
      try top.wait("all queues") { !rows("load.0", $0).isEmpty }
      top.type(" ")
      try top.wait(for: "FROZEN")
      top.type(" ")
      try top.wait("a view that goes on") { !$0.lines[0].contains("FROZEN") }
      // Arrow keys, in the table of threads.
      top.type("\t\u{1B}[B\u{1B}[A")
      try top.wait("a selected thread") { screen in
        let header = screen.lines.firstIndex { $0.contains("THREAD") } ?? screen.lines.count
        return screen.lines.dropFirst(header).contains { $0.hasPrefix("> ") }
      }
      top.type("\r")
      try top.wait("one thread") { screen in
        screen.lines.contains { $0.contains("(kernel ") }
          && screen.lines.last?.hasPrefix("esc back") == true
      }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.isRestored && top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func measuredTimesHaveColumns() throws {
    let program = try LiveProgram(
      WatchedScenario.watchedLoad, environment: ["SIGNALBOX_METRICS": "times"])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let top = try PseudoTerminal(["top", "\(program.process)"], columns: 120)
      try top.wait(for: "P99 WAIT  P99 RUN")
      // Of what was measured since the sample before.
      try top.wait("times of a queue") { screen in
        rows("load.1", screen).contains { $0.contains("s serial") }
      }
      #expect(top.screen.lines.contains { $0.contains("SYNCS") })
      #expect(top.screen.lines.contains { $0.hasPrefix("timers: ") && $0.contains(" armed, ") })
      // Counts make room for times.
      try top.resize(columns: 80, rows: 24, "a narrower table") { screen in
        screen.lines.contains { $0.contains("P99 WAIT") && !$0.contains("SYNCS") }
      }
      top.type("sssss")
      try top.wait(for: "sort:run")
      top.type("/load.1\r")
      try top.wait("only one queue") { screen in
        rows("load.1", screen).count == 1 && rows("load.0", screen).isEmpty
      }
      top.type("\r")
      try top.wait("the times of one queue") { screen in
        screen.lines.contains { $0.hasPrefix("waited   half ") && $0.contains("99 % ") }
          && screen.lines.contains { $0.hasPrefix("ran      half ") }
      }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func aDeadlockNamesItsThreads() throws {
    let program = try LiveProgram(HungScenario.hungTwoQueues)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let top = try PseudoTerminal(["top", "\(program.process)"], columns: 200)
      try top.wait(for: "deadlock: thread ")
      try top.wait(for: "waits in sync, for the queue \"hung.a\"")
      #expect(top.screen.styles.contains("31"))
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
    }
  }

  @Test func aSmallTerminalIsEnough() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top", "\(program.process)"], columns: 40, rows: 10)
      try top.wait("queues and threads") { screen in
        screen.lines.contains { $0.contains("QUEUE") }
          && screen.lines.contains { $0.contains("load.") }
          && screen.lines.contains { $0.contains("THREAD") }
      }
      try top.resize(columns: 120, rows: 24, "the wide table") { screen in
        screen.lines.contains { $0.contains("SYNCS") }
      }
      try top.resize(columns: 8, rows: 2, "two lines") { $0.lines[0].hasPrefix("Counted") }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func labelsCannotControlTheTerminal() throws {
    let program = try LiveProgram(WatchedScenario.watchedLabels)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait(for: "\\u{1B}[2J\\u{1B}]0;title\\u{07}")
      try top.wait(for: "two\\nlines")
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func withoutColoursNothingIsHighlighted() throws {
    let program = try LiveProgram(HungScenario.hungTwoQueues)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let top = try PseudoTerminal(
        ["top", "\(program.process)"], environment: ["NO_COLOR": "1"])
      try top.wait(for: "deadlock: ")
      try top.wait("the selection") { $0.lines.contains { $0.hasPrefix("> ") } }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.screen.styles.isSubset(of: ["0"]), "\(top.screen.styles)")
    }
  }

  // MARK: Ends

  enum End: CaseIterable {
    case control, terminate, hangUp, killDrawer, crashDrawer

    var signal: Int32 {
      switch self {
      case .control: SIGINT
      case .terminate: SIGTERM
      case .hangUp: SIGHUP
      case .killDrawer: SIGKILL
      case .crashDrawer: SIGSEGV
      }
    }
  }

  @Test(arguments: End.allCases) func theTerminalIsRestored(_ end: End) throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait(for: "QUEUE")
      switch end {
      case .control: top.type("\u{3}")
      case .terminate: kill(top.process, SIGTERM)
      case .hangUp: kill(top.process, SIGHUP)
      case .killDrawer: kill(try top.drawer(), SIGKILL)
      case .crashDrawer: kill(try top.drawer(), SIGSEGV)
      }
      #expect(try top.waitForEnd() == .signal(end.signal))
      #expect(top.isRestored)
      // The signal may have come in the middle of a picture.
      let faults = top.screen.faults.filter { $0 != ScreenImage.cut }
      #expect(faults.isEmpty, "\(faults)")
    }
  }

  @Test func aStoppedViewGivesTheTerminalBackForThatTime() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait(for: "QUEUE")
      kill(try top.drawer(), SIGSTOP)
      try top.wait("the terminal as it was") { !$0.isOtherScreen && $0.hasCursor }
      var information = siginfo_t()
      try #require(
        waitid(P_PID, id_t(top.process), &information, WSTOPPED) == 0)
      #expect(top.isRestored)
      kill(top.process, SIGCONT)
      try top.wait(for: "QUEUE")
      try top.wait("the view") { $0.isOtherScreen && !$0.hasCursor }
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.isRestored)
    }
  }

  @Test func aTargetThatEndsIsSaidToHaveEnded() throws {
    let program = try LiveProgram(WatchedScenario.watchedEnd)
    try #require(program.waitForFact("ready"))
    let top = try PseudoTerminal(["top", "\(program.process)"])
    try top.wait(for: "QUEUE")
    program.send(SIGKILL)
    try top.wait(for: "HAS ENDED")
    try top.wait(for: "load.0")
    top.type("q")
    #expect(try top.waitForEnd() == .code(0))
    withExtendedLifetime(program) { #expect(top.isRestored) }
  }

  // MARK: Other ways

  @Test func withoutAProcessTheProcessesAreListed() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(["top"], columns: 80, rows: 50)
      func chosen(_ screen: ScreenImage) -> [Substring] {
        let row = screen.lines.first { $0.hasPrefix("> ") }
        return row?.dropFirst(2).split(separator: " ") ?? []
      }
      func process(_ screen: ScreenImage) -> Int32? { chosen(screen).first.flatMap { Int32($0) } }
      try top.wait("the selection") { process($0) != nil }
      // To its row, which may be below those that are shown. The rows have the order of their
      // numbers, and other processes come and go meanwhile.
      while let before = process(top.screen), before != program.process {
        top.type(before < program.process ? "j" : "k")
        try top.wait("another row") { process($0) != nil && process($0) != before }
      }
      #expect(chosen(top.screen).dropFirst().first == "CountedFacts")
      top.type("\r")
      try top.wait(for: "load.0")
      top.type("q")
      #expect(try top.waitForEnd() == .code(0))
      #expect(top.isRestored && top.screen.faults.isEmpty, "\(top.screen.faults)")
    }
  }

  @Test func aPipeGetsLines() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try LiveProgram(ChildProgram("signalbox"), ["top", "\(program.process)"])
      let line = try #require(top.line(containing: "; busiest \"load."))
      #expect(line.hasPrefix("\(program.process) CountedFacts: ") && !line.contains("\u{1B}"))
      let list = try LiveProgram(ChildProgram("signalbox"), ["top"])
      #expect(list.line(containing: " processes, ") != nil)
    }
  }

  @Test func aTerminalThatKnowsOnlyLinesGetsLines() throws {
    let program = try load()
    try withExtendedLifetime(program) {
      let top = try PseudoTerminal(
        ["top", "\(program.process)"], columns: 250, environment: ["TERM": "dumb"])
      try top.wait(for: "; busiest \"load.")
      #expect(!top.screen.isOtherScreen && top.screen.styles.isEmpty && top.screen.faults.isEmpty)
    }
  }

  @Test func whatCannotBeInspectedIsRefused() throws {
    let outcome = try ChildProgram("signalbox").run(["top", "\(Int32.max)"])
    #expect(outcome.exit == .code(1))
    #expect(outcome.standardError.contains("there is no process \(Int32.max)"))
    for words in [["top", "x"], ["top", "1", "2"], ["top", "--fast"]] {
      let outcome = try ChildProgram("signalbox").run(words)
      #expect(outcome.exit == .code(2) && outcome.standardError.contains("usage: "), "\(words)")
    }
  }
}
