// TraceEnvironment — the recording that environment variables request. It begins
// before `main`.
//
// SIGNALBOX_TRACE         a file, or a directory for a file PROGRAM-PID.html; %p
//                         is the process ID, %t the time
// SIGNALBOX_TRACE_SIZE    bytes for events: 1048576, 512K, 32M, 1G
// SIGNALBOX_TRACE_LABELS  patterns of queue labels, separated by commas
// SIGNALBOX_TRACE_KINDS   items,waits,… for only these; +locks or -drains to add
//                         to or remove from the default ones
// SIGNALBOX_TRACE_WHEN    end (the default), a signal's name, wait>100ms; or
//                         several, separated by commas
// SIGNALBOX_TRACE_REPEAT  30s or 30s,10: write further files for items that wait
//                         too long, each at the earliest 30 s after the last one
//                         was written, and at most 10 files in all
//
// An invalid value is reported on standard error, in one line, and the program
// runs untraced. A crash is always written: to FILE, or to FILE.sbtrace if FILE
// has another format. A line on standard error says where it is and how to view
// it.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

/// The settings in the environment's variables.
struct TraceSettings {
  var options = TraceRecorder.Options()
  var writesAtEnd = true
  var signal: Int32 = 0
  /// In nanoseconds; 0 sets no limit on an item's wait.
  var waitLimit: UInt64 = 0
  var rate = CaptureRate.once
  /// How many captures are written if `SIGNALBOX_TRACE_REPEAT` states only their rate.
  static let mostCaptures = 10

  /// A variable has an invalid value.
  struct Mistake: Error, CustomStringConvertible {
    let variable: String
    let value: String
    let advice: String

    var description: String { "\(variable)=\"\(value)\" is not valid: \(advice)" }
  }

  /// - Parameter value: returns the value of a variable; nil or empty if it is
  ///   not set.
  init(_ value: (String) -> String?) throws(Mistake) {
    func set(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let text = set("SIGNALBOX_TRACE_SIZE") {
      options.memory = try TraceSettings.size("SIGNALBOX_TRACE_SIZE", text)
    }
    if let text = set("SIGNALBOX_TRACE_KINDS") { try readKinds("SIGNALBOX_TRACE_KINDS", text) }
    if let text = set("SIGNALBOX_TRACE_WHEN") { try readReasons("SIGNALBOX_TRACE_WHEN", text) }
    if let text = set("SIGNALBOX_TRACE_REPEAT") { try readRate("SIGNALBOX_TRACE_REPEAT", text) }
    if let text = set("SIGNALBOX_TRACE_LABELS") {
      options.labels = text.split(separator: ",").map(String.init)
    }
  }

  /// Parses a number of bytes: "16777216", "512K", "32M", "1G".
  static func size(_ variable: String, _ text: String) throws(Mistake) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let (bytes, overflow) =
      (Int(digits) ?? 0).multipliedReportingOverflow(by: unit ?? 1)
    guard bytes > 0, !overflow, bytes <= 1 << 40, digits.allSatisfy(\.isNumber) else {
      throw Mistake(variable: variable, value: text, advice: "write 16777216, 512K, 32M or 1G")
    }
    return bytes
  }

  private mutating func readKinds(_ variable: String, _ text: String) throws(Mistake) {
    let words = text.split(separator: ",")
    // A word without a sign selects only the kinds that are named.
    var kinds: TraceRecorder.Kinds =
      words.allSatisfy { $0.hasPrefix("+") || $0.hasPrefix("-") } ? .standard : []
    for word in words {
      let name = word.hasPrefix("+") || word.hasPrefix("-") ? word.dropFirst() : word
      guard let found = TraceRecorder.Kinds.words.first(where: { $0.word == name }) else {
        let known = TraceRecorder.Kinds.words.map(\.word).joined(separator: ", ")
        throw Mistake(
          variable: variable, value: text, advice: "\"\(word)\" is not one of \(known)")
      }
      if word.hasPrefix("-") { kinds.subtract(found.kinds) } else { kinds.formUnion(found.kinds) }
    }
    options.kinds = kinds
  }

  private mutating func readReasons(_ variable: String, _ text: String) throws(Mistake) {
    writesAtEnd = false
    for word in text.split(separator: ",") {
      if word == "end" {
        writesAtEnd = true
      } else if word.hasPrefix("wait>"), let time = TraceSettings.time(word.dropFirst(5)) {
        waitLimit = time
        // The recorder sees how long an item waits only if it records items.
        options.kinds.insert(.items)
      } else if signal == 0, csb_trace_signal_number(String(word)) != 0 {
        signal = csb_trace_signal_number(String(word))
      } else {
        throw Mistake(
          variable: variable, value: text,
          advice: #"write "end", one signal such as "USR1", or a time such as "wait>100ms""#)
      }
    }
  }

  private mutating func readRate(_ variable: String, _ text: String) throws(Mistake) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let count = words.count == 2 ? Int(words[1]) ?? 0 : TraceSettings.mostCaptures
    guard words.count <= 2, count > 0, let pause = TraceSettings.time(words[0]) else {
      throw Mistake(variable: variable, value: text, advice: #"write "30s", or "30s,10""#)
    }
    guard waitLimit != 0 else {
      throw Mistake(
        variable: variable, value: text,
        advice: #"it repeats what SIGNALBOX_TRACE_WHEN="wait>100ms" writes"#)
    }
    rate = CaptureRate(pause: pause, most: count)
  }

  /// Parses a time into nanoseconds: "100ms", "2s", "50us".
  static func time(_ text: Substring) -> UInt64? {
    let units: [(String, UInt64)] = [
      ("ns", 1), ("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000),
    ]
    guard let (word, unit) = units.first(where: { text.hasSuffix($0.0) }),
      let count = UInt64(text.dropLast(word.count)), count > 0
    else { return nil }
    let (time, overflow) = count.multipliedReportingOverflow(by: unit)
    return overflow ? nil : time
  }
}

/// The recording that the environment asks for.
enum TraceEnvironment {
  // SAFETY: written before `main`, by the process's only thread.
  private nonisolated(unsafe) static var name: RecordingName?
  private nonisolated(unsafe) static var owner: Int32 = 0
  // SAFETY: written before `main`, and then by the thread that writes recordings.
  private nonisolated(unsafe) static var rate = CaptureRate.once

  /// Called before `main`.
  static func begin() {
    do {
      var settings = try TraceSettings(variable)
      settings.options.places = AdviceEnvironment.isWanted
      let name = try fileName(variable("SIGNALBOX_TRACE") ?? "", settings.rate)
      // A crash is written to this file. The check of this file also reports, before
      // the program runs, an error that any other file would have.
      let file = try RecordingFile(path: name.path(at: now))
      try file.check()
      try TraceRecorder.start(settings.options)
      TraceEnvironment.name = name
      rate = settings.rate
      owner = csb_process_id()
      arrange(file, settings)
    } catch {
      warn("\(error). This program runs untraced.")
    }
  }

  private static func variable(_ name: String) -> String? {
    csb_environment(name).map { String(cString: $0) }
  }

  private static var now: WallTime { WallTime(nanoseconds: Clock.wall.now) }

  /// The name itself, or the name of a file for this process if `wanted` is a
  /// directory.
  private static func fileName(
    _ wanted: String, _ rate: CaptureRate
  ) throws(TraceSettings.Mistake) -> RecordingName {
    var pattern = wanted
    if csb_trace_is_directory(wanted) != 0 {
      let program = String(cString: csb_program_name()) + "-%p"
      // A program that writes repeatedly keeps running, so it leaves making the
      // pages to another program.
      let file = rate.most > 1 ? program + "-%t.sbtrace" : program + ".html"
      let folder = wanted.split(separator: "%", omittingEmptySubsequences: false)
        .joined(separator: "%%")
      pattern = folder.hasSuffix("/") ? folder + file : "\(folder)/\(file)"
    }
    guard let name = RecordingName(pattern, process: csb_process_id()) else {
      throw TraceSettings.Mistake(
        variable: "SIGNALBOX_TRACE", value: wanted,
        advice: "after % write p for the process ID, t for the time, or another %")
    }
    guard rate.most == 1 || name.hasTime else {
      throw TraceSettings.Mistake(
        variable: "SIGNALBOX_TRACE", value: wanted,
        advice: "SIGNALBOX_TRACE_REPEAT is set, so it needs %t, the time, in each file's name")
    }
    return name
  }

  private static func arrange(_ file: RecordingFile, _ settings: TraceSettings) {
    let error = TraceCapture.shared.arm(
      file.imagePath, temporary: file.temporary, notice: file.crashNotice)
    if error != 0 { warn("a crash will not be recorded: \(errorText(error)).") }
    // Gives this thread the stack that it needs to record a crash.
    TraceCapture.attend()
    if settings.writesAtEnd, csb_trace_at_end({ TraceEnvironment.write(.programEnded) }) != 0 {
      warn("there is no memory left to arrange for the trace at the program's end.")
    }
    guard settings.signal != 0 || settings.waitLimit != 0 else { return }
    let refused = TraceWriterThread.start {
      TraceEnvironment.write($0)
      if $0 == .signal { csb_trace_end_as_asked() }
    }
    if refused != 0 {
      return warn(
        "no trace is written while the program runs, because pthread_create failed with "
          + "\(errorText(refused)).")
    }
    csb_trace_wait_limit_store(settings.waitLimit)
    guard settings.signal != 0 else { return }
    let failure = csb_trace_listen(settings.signal, TraceCause.signal.rawValue)
    if failure != 0 {
      warn(
        "the signal does not write the trace, because sigaction failed with \(errorText(failure)).")
    }
  }

  /// Any thread may call this. Does nothing in a forked child, because the file
  /// belongs to the parent.
  private static func write(_ cause: TraceCause) {
    guard let name, owner == csb_process_id() else { return }
    if cause == .condition {
      guard rate.begin(at: Clock.uptime.now) else { return }
      // No item counts as late until the file is written.
      if rate.isOver { csb_trace_wait_limit_store(0) }
      TraceWaitLimit.pause(until: .max)
    }
    do {
      try RecordingFile(path: name.path(at: now)).write(cause)
    } catch {
      warn("\(error).")
    }
    if cause == .condition { TraceWaitLimit.pause(until: rate.end(at: Clock.uptime.now)) }
  }
}

/// `CSignalbox` calls this before `main` if `SIGNALBOX_TRACE` is set.
@_cdecl("csb_trace_begin")
func traceBegin() { TraceEnvironment.begin() }
