// ExportTests — recordings become files, or nothing is left behind; and the program that exports
// them.

import CSignalbox
import Glibc
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ExportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sample() -> ImageBuilder {
    var image = ImageBuilder()
    image.queue(7, "log \"<\u{2028}\u{1}\\")
    image.thread(1, "main", .main, kernel: 4711)
    image.event(10, 1, .itemSubmitted, 7, 64, a: 4)
    image.event(20, 1, .itemStarted, 7, 64)
    image.event(30, 1, .itemFinished, 7, 64, a: 1)
    image.event(40, 1, .waitBegan, 7, flags: 1, a: 0, b: 2)
    return image
  }

  private func export(_ bytes: [UInt8], _ name: String) throws(TraceExportError) {
    let path = "\(folder.path)/\(name)"
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(TraceExportError) in try TraceExport.write(rawImage: bytes, to: path) }
    }
    try result.get()
  }

  private func contents(_ name: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let size = csb_file_read("\(folder.path)/\(name)", &bytes, bytes.count)
    return Array(bytes[..<max(0, size)])
  }

  /// The names of the files in the folder.
  private var files: [String] {
    guard let directory = opendir(folder.path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// Each item has a lane of its own; finding it does not search all earlier lanes.
  @Test func manyItemsThatDoNotEndAreWrittenInTime() throws {
    var image = ImageBuilder()
    image.chunkSize = 1 << 23
    for item in 0..<100_000 as Range<UInt64> { image.event(item, 1, .itemStarted, 7, item) }
    try export(image.bytes, "lanes.pftrace")
    #expect(contents("lanes.pftrace").count > 100_000 * 20)
  }

  @Test func theStorysJSONHasTheShapeThatThePageReads() throws {
    let json = String(decoding: try sample().trace().json, as: UTF8.self)
    #expect(
      json == #"""
        {"format":"signalbox-story","version":1,"meta":{"program":"painter","pid":4711,"began":"2026-11-20T18:00:00.123Z","duration":40,"processors":4,"lostEvents":0,"lostNames":0,"why":"end","notes":[]},"strings":["log \"\u003c\u2028\u0001\\","main","in sync, for",""],"threads":[{"number":1,"name":1,"kernel":4711,"role":"main","began":-1,"ended":-1},{"number":2,"name":3,"kernel":0,"role":"other","began":-1,"ended":-1}],"queues":[{"label":0,"kind":"serial","target":-1}],"objects":[],
        "items":{"queue":[0],"submitted":[10],"started":[20],"finished":[30],"submitter":[0],"runner":[0],"within":[-1],"flags":[0],"qos":[4],"switches":[1],"preempted":[0],"task":[-1]},
        "tasks":{"number":[],"name":[]},
        "waits":{"thread":[0],"began":[40],"ended":[-1],"object":[-1],"queue":[0],"reason":[2],"owner":[1],"waker":[-1],"item":[-1],"timedOut":[0]},
        "parked":{"thread":[],"began":[],"ended":[]},
        "timers":{"object":[],"thread":[],"fired":[],"due":[],"late":[]},
        "steps":{"thread":[],"at":[],"step":[],"object":[]},
        "passes":{"thread":[],"object":[],"began":[],"ended":[]},
        "holds":{"thread":[],"object":[],"taken":[],"left":[]},
        "marks":{"thread":[],"at":[],"text":[]},
        "intervals":{"name":[],"details":[],"number":[],"thread":[],"began":[],"ender":[],"ended":[],"item":[],"within":[],"flags":[]},
        "operations":{"object":[],"queued":[],"ready":[],"started":[],"finished":[],"cancelled":[],"thread":[],"item":[]},
        "drains":{"thread":[],"queue":[],"began":[],"ended":[]},
        "loops":{"thread":[],"iterations":[],"began":[],"ended":[],"item":[]},
        "turns":{"object":[],"thread":[],"at":[],"entry":[]},
        "gaps":{"thread":[],"at":[],"lost":[]},
        "advice":[]}
        """#)
  }

  @Test func theFileExtensionDeterminesTheFormat() throws {
    let image = sample().bytes
    try export(image, "a.sbtrace")
    #expect(contents("a.sbtrace") == image)
    try export(image, "a.json")
    #expect(contents("a.json") == (try TraceModel(TraceRecording(image))).json + [10])
    try export(image, "a.txt")
    #expect(contents("a.txt") == Array(PlainText(try TraceModel(TraceRecording(image))).all.utf8))
    try export(image, "a.html")
    let page = String(decoding: contents("a.html"), as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(page.contains(#""strings":["log \"\u003c\u2028\u0001\\""#))
    #expect(!page.contains("\n@@"))
    for name in ["a.perfetto-trace", "b.pftrace"] {
      try export(image, name)
      #expect(contents(name).starts(with: [0x0A]) && contents(name).count > 100)
    }
    #expect(files.count == 6)
  }

  @Test func anExistingFileIsReplaced() throws {
    try folder.write("a.txt", String(repeating: "old ", count: 10_000))
    try export(sample().bytes, "a.txt")
    #expect(contents("a.txt").starts(with: Array("painter".utf8)))
    #expect(files == ["a.txt"])
  }

  @Test func aFailedWriteLeavesNoFileAndReportsWhy() throws {
    let image = sample().bytes
    for name in ["a", "a.xml", ".html", "a.HTML", "html", "a.html/", "a.json.gz"] {
      let path = "\(folder.path)/\(name)"
      #expect(throws: TraceExportError.unknownFormat(path: path)) { try export(image, name) }
    }
    do throws(TraceExportError) {
      try export(Array("no recording".utf8), "a.html")
      Issue.record("it was taken for a recording")
    } catch {
      #expect(error.description == "not a recording: at byte 0, it does not begin with SBTRACE1")
    }
    let missing = "\(folder.path)/missing/a.html"
    #expect(throws: TraceExportError.call("open", path: missing, errno: ENOENT)) {
      try export(image, "missing/a.html")
    }
    mkdir("\(folder.path)/folder.json", 0o755)
    #expect(
      throws: TraceExportError.call("rename", path: "\(folder.path)/folder.json", errno: EISDIR)
    ) { try export(image, "folder.json") }
    #expect(files == ["folder.json"])
  }

  // MARK: The program

  @Test func theProgramPrintsTheSummary() throws {
    let image = sample().bytes
    try export(image, "in.sbtrace")
    let outcome = try ChildProgram("signalbox-trace").run(["\(folder.path)/in.sbtrace"])
    #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty)
    #expect(outcome.standardOutput == PlainText(try TraceModel(TraceRecording(image))).summary)
  }

  @Test func theProgramWritesTheRequestedFormat() throws {
    let image = sample().bytes
    try export(image, "in.sbtrace")
    let outcome = try ChildProgram("signalbox-trace").run([
      "-o", "\(folder.path)/out.json", "--", "\(folder.path)/in.sbtrace",
    ])
    #expect(outcome.exit == .code(0) && outcome.standardOutput.isEmpty)
    #expect(contents("out.json") == (try TraceModel(TraceRecording(image))).json + [10])
  }

  @Test func theProgramReportsErrors() throws {
    let program = try ChildProgram("signalbox-trace")
    let help = try program.run(["--help"])
    #expect(help.exit == .code(0) && help.standardOutput.hasPrefix("usage: signalbox-trace "))
    let misuses: [[String]] = [
      [], ["a", "b"], ["-x", "a"], ["a", "-o"], ["a", "-o", ""],
      ["a", "-o", "b.json", "-o", "c.json"],
      ["a", "-o", "b.xml"],
    ]
    for words in misuses {
      let outcome = try program.run(words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.hasPrefix("signalbox-trace: "))
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
    let missing = try program.run(["\(folder.path)/none.sbtrace"])
    #expect(missing.exit == .code(1))
    #expect(missing.standardError.contains("/none.sbtrace: open: "))
    try folder.write("text.sbtrace", "hello, world")
    let foreign = try program.run(["\(folder.path)/text.sbtrace"])
    #expect(foreign.exit == .code(1))
    #expect(
      foreign.standardError.hasSuffix(
        "/text.sbtrace: not a recording: at byte 0, it does not begin with SBTRACE1\n"))
  }

  @Test func aFullDiskIsReportedAndLeavesNoPartialFile() throws {
    var image = sample()
    for index in 0..<20_000 as Range<UInt64> { image.event(50 + index, 1, .mark, 0, 3) }
    try export(image.bytes, "in.sbtrace")
    let program = try ChildProgram("signalbox-trace")
    // A file may have only this many blocks, without a signal: the system refuses to write, as
    // with a full disk.
    let outcome = try ChildProgram(path: "/bin/sh").run([
      "-c", "trap '' XFSZ; ulimit -f 16; exec '\(program.path)' \"$0\" -o \"$1\"",
      "\(folder.path)/in.sbtrace", "\(folder.path)/out.html",
    ])
    #expect(outcome.exit == .code(1))
    #expect(
      outcome.standardError
        == "signalbox-trace: \(folder.path)/out.html: write: File too large (errno \(EFBIG))\n")
    #expect(files == ["in.sbtrace"])
  }
}
