// RecordedEndsTests — how a program leaves its recording behind, however it ends.

import Glibc
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RecordedEndsTests {
  @Test func aCrashLeavesARecordingAndKeepsItsStatus() throws {
    let crashes: [(String, Int32)] = [
      ("crash", SIGSEGV), ("overflow-of-the-stack", SIGSEGV), ("trap", SIGABRT),
      ("swift-trap", trapSignal), ("abort", SIGABRT), ("two-crashes", SIGSEGV),
      ("crash-on-a-worker", SIGSEGV),
    ]
    for (scenario, signal) in crashes {
      let plain = try ChildProgram("TraceFacts").run(
        [scenario], environment: ["SWIFT_BACKTRACE": "enable=no"])
      let run = try Recorded(scenario)
      #expect(run.outcome.exit == .signal(signal), "\(scenario): \(run.outcome)")
      #expect(plain.exit == run.outcome.exit, "\(scenario)")
      // Addresses follow.
      let lines = run.outcome.standardError.split(separator: "\n")
      let notices = lines.filter { $0.hasPrefix("SIGNALBOX: the crash is recorded in ") }
      #expect(notices.count == 1, "\(scenario): \(lines)")
      let others = lines.filter { !notices.contains($0) }
      #expect(plain.standardError.split(separator: "\n").first == others.first, "\(scenario)")
      #expect(run.recording.header.cause == .crash, "\(scenario)")
      #expect(!run.recording.events.isEmpty, "\(scenario)")
    }
  }

  private var trapSignal: Int32 {
    #if arch(x86_64)
      SIGILL
    #else
      SIGTRAP
    #endif
  }

  /// The signal of the first crash ends the process all the same.
  @Test func aCrashOfTheWriterCostsTheFileOnly() throws {
    for (crash, signal) in [("abort", SIGABRT), ("fault", SIGSEGV)] {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/writer.sbtrace"
      let outcome = try ChildProgram("TraceFacts").run(
        ["crash-in-the-writer", crash],
        environment: ["SIGNALBOX_TRACE": path, "SWIFT_BACKTRACE": "enable=no"])
      #expect(outcome.exit == .signal(signal), "\(outcome)")
      #expect(
        outcome.standardError.contains(
          "\(path): reading what was recorded failed with errno \(EFAULT)"))
      #expect(files(in: folder.path).isEmpty)
    }
  }

  /// Neither in a crash nor at the end does SIGPIPE replace the program's own status.
  @Test func aPipeWhoseReaderGoesAwayCostsTheFileOnly() throws {
    for (scenario, exit) in [("abort", ChildProgram.Exit.signal(SIGABRT)), ("end", .code(7))] {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/pipe.sbtrace"
      #expect(mkfifo(path, 0o600) == 0)
      // With a writer of its own, the reader waits for data.
      let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      #expect(reader >= 0 && writer >= 0 && fcntl(reader, F_SETFL, 0) == 0)
      let thread = try PlainThread {
        var byte: UInt8 = 0
        _ = read(reader, &byte, 1)
        close(reader)
      }
      let outcome = try ChildProgram("TraceFacts").run(
        [scenario], environment: ["SIGNALBOX_TRACE": path, "SWIFT_BACKTRACE": "enable=no"])
      try thread.join()
      close(writer)
      #expect(outcome.exit == exit, "\(outcome)")
      #expect(outcome.standardError.contains("write failed with errno \(EPIPE)"), "\(outcome)")
    }
  }

  @Test func aHandlerOfTheProgramIsNotReplaced() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/own.sbtrace"
    let outcome = try ChildProgram("TraceFacts").run(
      ["own-handler"], environment: ["SIGNALBOX_TRACE": path])
    #expect(outcome.exit == .code(33))
    #expect(access(path, F_OK) != 0)
  }

  @Test func theExitStatusIsUnchanged() throws {
    let run = try Recorded("end")
    #expect(run.outcome.exit == .code(7) && run.outcome.standardError.isEmpty)
    #expect(run.recording.header.cause == .programEnded)
  }

  // MARK: Fork

  @Test func aChildRecordsNothingAndLeavesItsParentsFileAlone() throws {
    let run = try Recorded("fork")
    #expect(run.outcome.facts["child"] == "0")
    let labels = run.recording.names.filter { $0.subject == .queue }.map(\.text)
    #expect(labels == ["ends.work", "ends.after"])
  }

  @Test func theProcessMayForkDuringAnyRecording() throws {
    let run = try Recorded("fork-while-recording")
    #expect(run.outcome.exit == .code(0), "\(run.outcome)")
    #expect(run.outcome.facts["failed"] == "0", "\(run.outcome)")
  }

  @Test func aChildThatCrashesWritesNothing() throws {
    let run = try Recorded("fork-and-crash", ["FILE"])
    #expect(run.outcome.facts["child"] == String(SIGABRT))
    #expect(run.outcome.facts["written"] == "false")
    #expect(run.recording.header.cause == .programEnded)
  }

  @Test func aChildMayRecordItself() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/child.sbtrace"
    let run = try Recorded("fork-and-record", [path])
    #expect(run.outcome.facts["child"] == "0", "\(run.outcome.standardError)")
    let child = try TraceRecording(try bytes(of: path))
    #expect(child.names.filter { $0.subject == .queue }.map(\.text) == ["ends.child"])
    #expect(child.header.processID != run.recording.header.processID)
  }

  // MARK: Reasons

  @Test func aSignalWritesTheRecording() throws {
    let run = try Recorded("signal", ["FILE"], ["SIGNALBOX_TRACE_WHEN": "USR1"])
    #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    #expect(run.recording.header.cause == .signal)
  }

  @Test(arguments: [("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("TERM", SIGTERM)])
  func aTerminatingSignalWritesTheRecordingFirst(_ name: String, _ signal: Int32) throws {
    let run = try Recorded("asked-to-end", [name], ["SIGNALBOX_TRACE_WHEN": name])
    #expect(run.outcome.exit == .signal(signal), "\(run.outcome.standardError)")
    #expect(run.recording.header.cause == .signal)
  }

  @Test func aProgramThatExitsNormallyIsNotKilled() throws {
    let run = try Recorded("asked-to-end-in-order", ["FILE"], ["SIGNALBOX_TRACE_WHEN": "TERM"])
    #expect(run.outcome.exit == .code(7), "\(run.outcome.standardError)")
    #expect(run.recording.header.cause == .signal)
  }

  @Test func anItemThatWaitsTooLongWritesTheRecording() throws {
    let run = try Recorded("late", ["FILE"], ["SIGNALBOX_TRACE_WHEN": "wait>1ms"])
    #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
    #expect(run.recording.header.cause == .condition)
    #expect(try run.queue("ends.late") != 0)
  }

  // MARK: Options

  @Test func onlyRequestedQueuesAreRecorded() throws {
    let run = try Recorded("two-queues", [], ["SIGNALBOX_TRACE_LABELS": "*.wanted,no*ne"])
    let names = run.recording.names.filter { $0.subject == .queue }
    #expect(names.map(\.text) == ["com.example.wanted"])
    #expect(run.events(.itemSubmitted).count == 5)
  }

  /// The recording excludes the main queue, on which that queue's work runs.
  @Test func aSyncIsNotMistakenForAnEarlierOne() throws {
    let run = try Recorded("sync-upon-main", [], ["SIGNALBOX_TRACE_LABELS": "story.*"])
    #expect(run.outcome.exit == .code(0), "\(run.outcome)")
    let mark = try #require(run.events(.mark).first)
    let sync = try #require(run.events(.syncEntered, try run.queue("story.other")).first)
    #expect(sync.detail >= mark.time)
  }

  @Test func locksAreRecordedOnRequest() throws {
    let run = try Recorded("steps", [], ["SIGNALBOX_TRACE_KINDS": "+locks,-runloops"])
    let lock = try #require(run.objects(.lock, "steps.lock").first)
    #expect(run.events(.lockTaken, lock).count == run.events(.lockLeft, lock).count)
    #expect(run.events(.lockTaken, lock).count == 2)
    #expect(run.events(.runLoopStep).isEmpty)
  }

  @Test func onlyRequestedKindsAreRecorded() throws {
    let kinds: [(String, Set<EventKind>)] = [
      ("waits", [.waitBegan, .waitEnded, .wake]),
      ("workers", [.workerParked, .workerUnparked, .workerWoken]),
      ("items", [.itemSubmitted, .itemStarted, .itemFinished]),
      ("operations", [.operation]),
    ]
    for (word, expected) in kinds {
      let run = try Recorded("storm", ["1"], ["SIGNALBOX_TRACE_KINDS": word])
      #expect(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
      let found = Set(run.recording.events.map(\.kind))
      #expect(found.isSubset(of: expected), "\(word): \(found)")
      #expect(found.isEmpty == (word == "operations"), "\(word)")
    }
  }

  @Test func aDirectoryGetsAFileForEachProcess() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 {
      _ = try ChildProgram("TraceFacts").run(
        ["end"], environment: ["SIGNALBOX_TRACE": folder.path])
    }
    let names = files(in: folder.path)
    #expect(names.count == 2)
    for name in names {
      #expect(name.hasPrefix("TraceFacts-") && name.hasSuffix(".html"))
      let page = String(decoding: try bytes(of: "\(folder.path)/\(name)"), as: UTF8.self)
      #expect(page.contains(#""format":"signalbox-story""#))
    }
  }

  /// A crashing process cannot make a page.
  @Test func aCrashLeavesTheImageNextToThePageAndReportsHowToViewIt() throws {
    let program = try ChildProgram("signalbox-trace").path
    let begin = "SIGNALBOX: the crash is recorded in "
    for (name, image, result) in [
      ("page.html", "page.html.sbtrace", "page.html"),
      ("raw.sbtrace", "raw.sbtrace", "raw.html"),
      ("-story's $HOME é.json", "-story's $HOME é.json.sbtrace", "-story's $HOME é.json"),
    ] {
      let folder = try TemporaryFolder()
      let outcome = try ChildProgram(path: "/bin/sh").run(
        ["-c", "cd '\(folder.path)' && exec \(try ChildProgram("TraceFacts").path) abort"],
        environment: ["SIGNALBOX_TRACE": name, "SWIFT_BACKTRACE": "enable=no"])
      #expect(files(in: folder.path) == [image])
      _ = try TraceRecording(try bytes(of: "\(folder.path)/\(image)"))
      let said = try #require(
        outcome.standardError.split(separator: "\n").first { $0.hasPrefix(begin) })
      #expect(said.hasPrefix("\(begin)\(image). To see it: swift run signalbox-trace "))
      let command = try #require(said.split(separator: "swift run signalbox-trace").last)
      let seen = try ChildProgram(path: "/bin/sh").run(
        ["-c", "cd '\(folder.path)' && \(program)\(command)"])
      #expect(seen.exit == .code(0), "\(seen.standardError)")
      #expect(files(in: folder.path) == [image, result].sorted())
    }
  }

  /// Standard error is a pipe without a reader, or a full one.
  @Test func theMessageOfACrashNeitherDelaysNorChangesIt() throws {
    for pipe in ["closed", "full"] {
      let run = try Recorded("crash-unheard", [pipe])
      #expect(run.outcome.exit == .signal(SIGABRT), "\(pipe): \(run.outcome)")
      #expect(run.recording.header.cause == .crash)
    }
  }

  @Test func anyLabelIsEscapedAsText() throws {
    let run = try Recorded("labels")
    let labels = run.recording.names.filter { $0.subject == .queue }.map(\.text)
    #expect(
      labels == [
        "say \"ho\"\n<b>", "🚦 gruß", "", String(repeating: "é", count: 512),
      ])
  }

  // MARK: Impossible requests

  @Test func invalidSettingsAreReportedInOneLineAndTheProgramRuns() throws {
    let wrong: [([String: String], String)] = [
      (["SIGNALBOX_TRACE": "/no/such/folder/x.sbtrace"], "open failed with errno 2"),
      (["SIGNALBOX_TRACE": "/tmp/x.doc"], "use .sbtrace"),
      (["SIGNALBOX_TRACE_SIZE": "huge"], "SIGNALBOX_TRACE_SIZE=\"huge\" is not valid"),
      (["SIGNALBOX_TRACE_SIZE": "99999999999G"], "is not valid"),
      (["SIGNALBOX_TRACE_KINDS": "+hats"], "\"+hats\" is not one of items"),
      (["SIGNALBOX_TRACE_WHEN": "never"], "write \"end\", one signal such as"),
      (["SIGNALBOX_TRACE_WHEN": "wait>0ms"], "write \"end\", one signal such as"),
      (["SIGNALBOX_TRACE": "/tmp/%d.html"], "after % write p for the process ID"),
      (["SIGNALBOX_TRACE_REPEAT": "30s"], "it repeats what SIGNALBOX_TRACE_WHEN=\"wait>100ms\""),
      (
        ["SIGNALBOX_TRACE_WHEN": "wait>1ms", "SIGNALBOX_TRACE_REPEAT": "30s,0"],
        "write \"30s\", or \"30s,10\""
      ),
      (
        ["SIGNALBOX_TRACE_WHEN": "wait>1ms", "SIGNALBOX_TRACE_REPEAT": "30s"],
        "so it needs %t, the time, in each file's name"
      ),
    ]
    let folder = try TemporaryFolder()
    for (environment, words) in wrong {
      let path = "\(folder.path)/wrong.sbtrace"
      let outcome = try ChildProgram("TraceFacts").run(
        ["end"], environment: ["SIGNALBOX_TRACE": path].merging(environment) { $1 })
      #expect(outcome.exit == .code(7))
      #expect(outcome.standardError.contains(words), "\(outcome.standardError)")
      #expect(outcome.standardError.hasSuffix("This program runs untraced.\n"))
      #expect(outcome.standardError.count { $0 == "\n" } == 1)
      #expect(files(in: folder.path).isEmpty)
    }
  }

  @Test func aFullDiskIsReportedAndLeavesNothing() throws {
    let full = try ChildProgram("TraceFacts").run(
      ["end"], environment: ["SIGNALBOX_TRACE": "/dev/full"])
    #expect(full.exit == .code(7))
    #expect(full.standardError.contains("write failed with errno 28"))
    var status = stat()
    stat("/dev/full", &status)
    #expect(status.st_mode & S_IFMT == S_IFCHR)

    let folder = try TemporaryFolder()
    // The image, and then a page, which is longer than there is room.
    for name in ["x.sbtrace", "x.html"] {
      let limited = try ChildProgram("TraceFacts").run(
        ["no-room"], environment: ["SIGNALBOX_TRACE": "\(folder.path)/\(name)"])
      #expect(limited.exit == .code(0))
      #expect(limited.standardError.contains("failed with errno 27"), "\(limited.standardError)")
      #expect(limited.standardError.contains("\(folder.path)/\(name)"))
      #expect(files(in: folder.path).isEmpty)
    }
  }

  @Test func aCrashOnAFullDiskIsReportedAndKeepsItsStatus() throws {
    let folder = try TemporaryFolder()
    let outcome = try ChildProgram("TraceFacts").run(
      ["no-room-and-crash"], environment: ["SIGNALBOX_TRACE": "\(folder.path)/x.sbtrace"])
    #expect(outcome.exit == .signal(SIGABRT))
    #expect(
      outcome.standardError.contains(
        "SIGNALBOX: the trace could not be written to \(folder.path)/x.sbtrace: "))
    #expect(outcome.standardError.contains("failed with errno 27"), "\(outcome.standardError)")
    #expect(files(in: folder.path).isEmpty)
  }

  @Test func errorsNameThePathTheCallAndTheNumber() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/d.sbtrace", 0o755)
    let facts = try ChildProgram("TraceFacts").run(["errors", folder.path]).facts
    #expect(facts["nothing"] == "nothing was recorded: start a recording first")
    #expect(facts["empty"] == "true")
    for (name, words) in [
      ("folder", "none/x.sbtrace\": open failed with errno 2,"),
      ("form", "x.doc\" has no extension"),
      ("none", "/x\" has no extension"), ("full", "\"/dev/full\": write failed with errno 28,"),
      ("directory", "d.sbtrace\": open failed with errno 21,"),
    ] {
      #expect(facts[name]?.contains(words) == true, "\(name): \(facts[name] ?? "")")
    }
    #expect(files(in: folder.path) == ["d.sbtrace"])
  }

  @Test func aProgramThatIsNotRecordedPaysNothing() throws {
    let facts = try ChildProgram("TraceFacts").run(
      ["unset"], environment: ["SWIFT_BACKTRACE": "enable=no"]
    ).facts
    #expect(facts["handlers"] == "0" && facts["attended"] == "false")
    #expect(facts["session"] == "0" && facts["mask"] == "0" && facts["threads"] == "1")
  }
}
