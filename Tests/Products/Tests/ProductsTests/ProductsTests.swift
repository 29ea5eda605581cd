// ProductsTests — any program that imports any product can be recorded, without mentioning it in
// its code. One without the recorder says that it cannot.

import Foundation
import Testing

@Suite struct ProductsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Runs the program, which must behave as it does unrecorded.
  private func record(
    _ name: String, to path: String, _ variables: [String: String] = [:]
  ) throws {
    let run = try Program(name: name).run(["SIGNALBOX_TRACE": path].merging(variables) { $1 })
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(name): \(run)")
  }

  private func story(
    _ name: String, _ variables: [String: String] = [:]
  ) throws -> Story {
    try record(name, to: folder.path("\(name).json"), variables)
    let story = try Story(try folder.bytes("\(name).json"))
    #expect(story.program == name)
    return story
  }

  // MARK: SignalboxDispatch alone

  private let labels = ["org.example.orders", "org.example.log"]

  private func expectAll(_ story: Story) {
    #expect(story.program == "DispatchAlone")
    for label in labels {
      let items = story.items(of: label)
      #expect(items.count == 11, "ten by async and one by sync on \(label)")
      let (submitted, started, finished) = (
        story.column("items", "submitted"), story.column("items", "started"),
        story.column("items", "finished")
      )
      for item in items {
        #expect(submitted[item] >= 0 && submitted[item] <= started[item])
        // The worker of the last item may not have returned from it when the program ended.
        #expect(finished[item] < 0 || started[item] <= finished[item])
      }
    }
  }

  @Test func aPageOfItIsOneFileThatHoldsItsStory() throws {
    try record("DispatchAlone", to: folder.path("trace.html"))
    #expect(folder.files == ["trace.html"])
    let page = try folder.text("trace.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    expectAll(try Story(page: page))
  }

  @Test func itsStoryIsWrittenForOtherPrograms() throws {
    expectAll(try story("DispatchAlone"))
  }

  @Test func itsSummaryIsText() throws {
    try record("DispatchAlone", to: folder.path("trace.txt"))
    let text = try folder.text("trace.txt")
    #expect(text.contains("DispatchAlone"))
    for label in labels { #expect(text.contains(label)) }
  }

  @Test func itIsWrittenForPerfettoAndAsItWasRecorded() throws {
    for name in ["trace.perfetto-trace", "trace.pftrace", "trace.sbtrace"] {
      try record("DispatchAlone", to: folder.path(name))
      let bytes = try folder.bytes(name)
      for label in labels { #expect(bytes.range(of: Data(label.utf8)) != nil, "\(name)") }
    }
    #expect(try folder.bytes("trace.sbtrace").starts(with: Array("SBTRACE1".utf8)))
    // A packet: field 1, with its length.
    #expect(try folder.bytes("trace.pftrace").first == 0x0A)
  }

  @Test func aDirectoryGetsAPageForEachRun() throws {
    for _ in 0..<2 { try record("DispatchAlone", to: folder.url.path) }
    #expect(folder.files.count == 2)
    for name in folder.files {
      #expect(name.hasPrefix("DispatchAlone-") && name.hasSuffix(".html"))
      expectAll(try Story(page: try folder.text(name)))
    }
  }

  @Test func onlyRequestedQueuesAreInTheRecording() throws {
    let story = try story("DispatchAlone", ["SIGNALBOX_TRACE_LABELS": "*.log"])
    #expect(story.items(of: "org.example.log").count == 11)
    #expect(!story.queues.contains("org.example.orders"))
  }

  @Test func withLittleMemoryTheLastEventsRemainAndTheOthersAreCounted() throws {
    // The memory holds five hundred events; the locks alone make four thousand.
    let story = try story(
      "LocksAlone", ["SIGNALBOX_TRACE_SIZE": "16K", "SIGNALBOX_TRACE_KINDS": "+locks"])
    let lost = try #require(story.lostEvents)
    #expect(lost > 0)
    #expect(story.column("holds", "taken").count > 0)
    let whole = try self.story("LocksAlone", ["SIGNALBOX_TRACE_KINDS": "+locks"])
    #expect(whole.lostEvents == 0)
    #expect(whole.column("holds", "taken").count >= 2000)
  }

  // MARK: The other products alone

  @Test func aProgramOfLocks() throws {
    let story = try story("LocksAlone", ["SIGNALBOX_TRACE_KINDS": "+locks"])
    #expect(story.objects.contains { $0.contains("org.example.lock") })
  }

  @Test func aProgramOfThreads() throws {
    #expect(try story("ThreadsAlone").threads.contains("org.example.thread"))
  }

  @Test func aProgramOfRunLoops() throws {
    #expect(!(try story("RunLoopAlone").column("passes", "began").isEmpty))
  }

  @Test func aProgramOfOperations() throws {
    let story = try story("OperationsAlone")
    #expect(!story.items(of: "org.example.operations").isEmpty, "\(story.queues)")
  }

  @Test func aProgramOfPatterns() throws {
    #expect(try story("PatternsAlone").items(of: "org.example.names").count == 2)
  }

  @Test func aProgramOfTasks() throws {
    #expect(try story("ConcurrencyAlone").items(of: "org.example.tasks").count == 1)
  }

  @Test func aProgramOfFoundation() throws {
    #expect(try story("FoundationAlone").items(of: "org.example.bytes").count == 1)
  }

  // MARK: A program without the toolchain's libraries

  @Test func aProgramMayBeLinkedStatically() throws {
    let run = try Program(name: "StaticallyLinked").run([:])
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  /// The engine refers to the search by name, and nothing installs it.
  @Test func aDeadlockOfAStaticallyLinkedProgramIsFound() throws {
    let run = try Program(name: "StaticallyLinked").run(
      ["SWIFT_BACKTRACE": "enable=no"], arguments: ["deadlock"])
    #expect(run.errors.contains("deadlock: ") && run.status != 0, "\(run)")
    for label in ["first", "second"] { #expect(run.errors.contains("\"\(label)\"")) }
  }

  @Test func aStaticallyLinkedProgramIsRecorded() throws {
    try record("StaticallyLinked", to: folder.path("static.json"))
    let story = try Story(try folder.bytes("static.json"))
    #expect(story.items(of: "org.example.static").count >= 1_001)
  }

  // MARK: A program without the recorder, and without symbols

  @Test func aProgramMayLeaveOutTheRecorder() throws {
    let run = try Program(name: "CoreAlone").run([:])
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test(arguments: ["TRACE", "ADVICE", "REPORT"])
  func withoutTheRecorderARequestIsRefusedInWords(_ request: String) throws {
    let run = try Program(name: "CoreAlone").run(["SIGNALBOX_\(request)": "USR1"])
    #expect(run.output == "done\n" && run.status == 0, "\(run)")
    #expect(
      run.errors.hasPrefix("SIGNALBOX: SIGNALBOX_\(request) is set, but this program is linked "),
      "\(run)")
    #expect(run.errors.contains("Link it with the product SignalboxTrace as well"), "\(run)")
  }

  @Test func aDeadlockIsFoundWithoutTheRecorder() throws {
    let run = try Program(name: "CoreAlone").run(
      ["SWIFT_BACKTRACE": "enable=no"], arguments: ["deadlock"])
    #expect(run.errors.contains("deadlock: ") && run.status != 0, "\(run)")
    for label in ["first", "second"] { #expect(run.errors.contains("\"\(label)\"")) }
  }
}
