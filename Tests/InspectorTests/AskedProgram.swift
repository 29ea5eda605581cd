// AskedProgram — a program that a test has recorded, and the words between it and the tools.

import Glibc
import SignalboxTestSupport
import SignalboxTrace
import Testing

@testable import SignalboxInspector

struct AskedProgram {
  let process: Int32
  private let words: RequestWords
  private let memory: ProcessMemory
  private let asked: UInt64

  init(_ process: Int32) throws {
    self.process = process
    let table = try #require(Target(process).engines.first).table
    memory = ProcessMemory(of: process)
    asked = try #require(table.root("asked")).address
    words = try #require(RequestWords(table, memory) { InspectionRefusal(process, $0) })
  }

  var phase: UInt64 { get throws { try words.answer().phase } }
  var served: UInt64 { get throws { try words.served() } }

  /// The word that each probe tests.
  var probes: UInt64 {
    get throws {
      var word: UInt64 = 0
      let error = withUnsafeMutableBytes(of: &word) { memory.copy(from: asked & ~7, into: $0) }
      try #require(error == 0)
      return word
    }
  }

  /// Writes how many tracers listen, as the kernel does.
  func setTracers(_ count: UInt8) throws {
    try #require(memory.write([count, 0], at: asked & ~7 + 6) == 0)
  }

  /// The names of its threads.
  var threads: [String] {
    ProcessFile.numbers(in: "/proc/\(process)/task").compactMap {
      ProcessFile.text("/proc/\(process)/task/\($0)/comm")
    }
  }

  func wait(until condition: () throws -> Bool) throws {
    let deadline = Uptime.now() + RealTime.wedge
    while try !condition() {
      try #require(Uptime.now() < deadline)
      usleep(1000)
    }
  }

  func waitForRecording() throws { try wait { try phase == 2 && threads.contains("sb-trace\n") } }

  /// Waits until the process is as if nobody had asked.
  func waitForQuiet() throws {
    try wait { try probes == 0 && !threads.contains("sb-trace\n") }
  }
}

/// What a file with a recording says.
struct RecordedFile {
  let model: TraceModel
  /// How long the recording lasted, in nanoseconds: more than the model has if the first events were lost.
  let duration: UInt64

  init(_ path: String) throws {
    let recording = try TraceRecording(try ProcessFile.read(path).get())
    model = TraceModel(recording)
    duration = recording.header.written - recording.header.began
  }

  /// Records a process with `signalbox trace`, again if it did nothing in that time or not what is wanted: on a busy
  /// machine it may get no processor for so long.
  static func record(
    _ process: Int32, for length: String, to path: String,
    until isEnough: () throws -> Bool = { true }
  ) throws -> ChildProgram.Outcome {
    let asked = try AskedProgram(process)
    let deadline = Uptime.now() + RealTime.wedge
    while true {
      // Until the process has put the last recording away, it begins no other one.
      try asked.wait { !asked.threads.contains("sb-trace\n") }
      let outcome = try ChildProgram("signalbox").run(
        ["trace", "\(process)", "-d", length, "-o", path])
      let isSilent = outcome.standardError.contains("did nothing with Signalbox")
      guard outcome.exit == .code(0) || isSilent, Uptime.now() < deadline else { return outcome }
      if try !isSilent && isEnough() { return outcome }
    }
  }

  /// How many items of the queue with this label have ended.
  func items(of label: String) -> Int {
    model.items.queue.indices.count { index in
      let queue = model.items.queue[index]
      return queue >= 0 && model.items.finished[index] >= 0
        && model.strings[Int(model.queues[Int(queue)].label)] == label
    }
  }
}
