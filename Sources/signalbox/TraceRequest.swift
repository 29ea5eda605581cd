// TraceRequest — records another process, and has `signalbox-trace` write the recording.
//
// A copy of this program asks the process and reads the recording into a file in memory; the converter reads that
// file. So neither a process that keeps its reader waiting nor a damaged recording can do harm here.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct TraceRequest {
  let process: Int32
  /// In nanoseconds.
  let duration: UInt64
  /// nil for a page that is named after the process.
  let output: String?

  static let usual: UInt64 = 5_000_000_000
  static let longest: UInt64 = 3_600_000_000_000
  /// Bytes for events: as with SIGNALBOX_TRACE.
  private static let memory: UInt64 = 16 << 20

  /// Returns the status.
  func carryOut() throws(Refusal) -> Int32 {
    let path = output ?? "\(fileName).html"
    let converter = try TraceConverter.find()
    let status = converter.check(path)
    if status != 0 { return status }
    let image = csb_tool_memory_file()
    if image < 0 {
      throw Refusal(
        text: "there is no memory for the recording: \(String(cString: strerror(-image)))")
    }
    defer { close(image) }
    if let problem = record(into: image) { throw Refusal(text: problem) }
    let result = converter.write(image, to: path)
    if result == 0 { put("\(path)\n") }
    return result
  }

  /// A file name made from the name and the number of the process.
  private var fileName: String {
    let name = Target.name(of: process).map { $0 == "/" || $0 == "\\" ? "_" : $0 }
    return "\(name.isEmpty ? "process" : String(name))-\(process)"
  }

  /// Returns why there is no recording; nil if there is one.
  private func record(into image: Int32) -> String? {
    // Signals are held back until the copy can take them. Before that, they would end the copy or
    // this process.
    let interrupts = HeldInterrupts()
    var copy = ReadingCopy { answer in
      csb_tool_note_interrupts()
      // The parent has also got the signals that have arrived, and passes them on.
      interrupts.forget()
      interrupts.release()
      answer("ready")
      ask(into: image, answer)
    }
    // The time to begin, to record, and to make and read the copy.
    let limit = UInt32(duration / 1_000_000_000) + inspectionLimit
    var isRecording = false
    while true {
      switch copy.next(within: limit * 2) {
      case .line("ready"):
        copy.receivesInterrupts()
        interrupts.release()
      case .line("recording"):
        isRecording = true
        tell("recording process \(process); Ctrl-C ends it early")
      case .line("done"):
        copy.end(byForce: false)
        return nil
      case .line("refused"):
        let answer = copy.next(within: inspectionLimit)
        copy.end(byForce: false)
        if case .line(let problem) = answer { return problem }
        return "recording process \(process) has failed"
      case .timeOut:
        copy.end(byForce: true)
        return
          "process \(process) could not be read within \(limit * 2) s: it serves its own page faults and does "
          + "not, or the machine is busy"
      case .line, .end:
        copy.end(byForce: true)
        return isRecording
          ? "interrupted: process \(process) ends its recording by itself, within some seconds"
          : "interrupted before process \(process) was asked for a recording"
      }
    }
  }

  /// Has the process make a recording, and answers at each step.
  private func ask(into image: Int32, _ answer: (String) -> Void) {
    do throws(InspectionRefusal) {
      let wish = RecordingRequest.Wish(duration: duration, memory: TraceRequest.memory)
      let request = try Target(process).recordingRequest(wish)
      try request.carryOut(
        RecordingRequest.Surroundings(), hasBegun: { answer("recording") },
        take: { TraceRequest.append($0, to: image) })
      answer("done")
    } catch {
      answer("refused")
      answer(error.text)
    }
  }

  /// Returns 0 or an errno.
  private static func append(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(file, part.baseAddress, part.count)
      if count < 0 && errno != EINTR { return errno }
      rest = rest.dropFirst(max(0, count))
    }
    return 0
  }
}

/// The program `signalbox-trace`, which is installed beside this one.
private struct TraceConverter {
  let path: String

  static func find() throws(Refusal) -> TraceConverter {
    guard let program = realpath("/proc/self/exe", nil) else {
      throw Refusal(text: "/proc/self/exe: \(String(cString: strerror(errno)))")
    }
    defer { free(program) }
    let path = String(cString: program) + "-trace"
    if access(path, X_OK) == 0 { return TraceConverter(path: path) }
    throw Refusal(
      text: "\(path), which writes recordings, is missing: \(String(cString: strerror(errno)))")
  }

  /// Whether a file of this name can be written: 0, or the status to end with.
  func check(_ output: String) -> Int32 { run(["--check", "-o", output], input: -1) }

  /// Returns the status to end with.
  func write(_ image: Int32, to output: String) -> Int32 {
    run(["/proc/self/fd/0", "-o", output], input: image)
  }

  private func run(_ arguments: [String], input: Int32) -> Int32 {
    let words = ([path] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    var pointers = words.map { UnsafePointer($0) } + [nil]
    let status = csb_tool_run(path, &pointers, input)
    if status == 127 || status < 0 {
      tell("\(path) could not be run")
      return 1
    }
    return status
  }
}
