// TraceEnvironment — a recording that the environment asks for, from before `main` on.
//
// SIGNALBOX_TRACE         the file, or a directory, where it is called PROGRAM-PID.html
// SIGNALBOX_TRACE_SIZE    bytes for events: 1048576, 512K, 32M, 1G
// SIGNALBOX_TRACE_LABELS  patterns of queue labels, parted by commas
// SIGNALBOX_TRACE_KINDS   items,waits,… only these; +locks or -drains: the usual ones with or
//                         without
// SIGNALBOX_TRACE_WHEN    end (the default), a signal's name, wait>100ms; several parted by commas
//
// A value that means nothing is told on standard error, in one line, and the program runs
// untraced. A crash is written whatever is asked for: as FILE, or where that has another
// form as FILE.sbtrace; a line on standard error says where, and how to see it.

import CSignalbox
import SignalboxRuntime

/// What the environment's variables say.
struct TraceWishes {
  var options = TraceRecorder.Options()
  var writesAtEnd = true
  var signal: Int32 = 0
  /// Nanoseconds; 0: items may wait for ever.
  var patience: UInt64 = 0

  /// A value that means nothing.
  struct Mistake: Error, CustomStringConvertible {
    let variable: String
    let value: String
    let advice: String

    var description: String { "\(variable)=\"\(value)\" is not valid: \(advice)" }
  }

  /// - Parameter value: that of a variable; nil or empty where it is not set.
  init(_ value: (String) -> String?) throws(Mistake) {
    func set(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let text = set("SIGNALBOX_TRACE_SIZE") {
      options.memory = try TraceWishes.size("SIGNALBOX_TRACE_SIZE", text)
    }
    if let text = set("SIGNALBOX_TRACE_KINDS") { try readKinds("SIGNALBOX_TRACE_KINDS", text) }
    if let text = set("SIGNALBOX_TRACE_WHEN") { try readReasons("SIGNALBOX_TRACE_WHEN", text) }
    if let text = set("SIGNALBOX_TRACE_LABELS") {
      options.labels = text.split(separator: ",").map(String.init)
    }
  }

  /// Bytes: "16777216", "512K", "32M", "1G".
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
    // One that stands alone says that only those are wanted that are named.
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
      } else if word.hasPrefix("wait>"), let time = TraceWishes.time(word.dropFirst(5)) {
        patience = time
        // How long an item waits is only seen where items are recorded.
        options.kinds.insert(.items)
      } else if signal == 0, csb_trace_signal_number(String(word)) != 0 {
        signal = csb_trace_signal_number(String(word))
      } else {
        throw Mistake(
          variable: variable, value: text,
          advice: "write end, the name of one signal, such as USR1, or a time, such as wait>100ms")
      }
    }
  }

  /// Nanoseconds: "100ms", "2s", "50us".
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

/// The recording that the environment has asked for.
enum TraceEnvironment {
  // SAFETY: written before `main`, by the process's only thread.
  private nonisolated(unsafe) static var file: RecordingFile?
  private nonisolated(unsafe) static var owner: Int32 = 0

  /// Before `main`.
  static func begin() {
    do {
      let path = filePath(variable("SIGNALBOX_TRACE") ?? "")
      var wishes = try TraceWishes(variable)
      wishes.options.places = AdviceEnvironment.isWanted
      let file = try RecordingFile(path: path)
      try file.check()
      try TraceRecorder.start(wishes.options)
      TraceEnvironment.file = file
      owner = csb_process_id()
      arrange(file, wishes)
    } catch {
      complain("\(error). This program runs untraced.")
    }
  }

  private static func variable(_ name: String) -> String? {
    csb_environment(name).map { String(cString: $0) }
  }

  /// The file itself, or one of its own for this process in a directory.
  private static func filePath(_ wanted: String) -> String {
    guard csb_trace_is_directory(wanted) != 0 else { return wanted }
    let separator = wanted.hasSuffix("/") ? "" : "/"
    let program = String(cString: csb_program_name())
    return "\(wanted)\(separator)\(program)-\(csb_process_id()).html"
  }

  private static func arrange(_ file: RecordingFile, _ wishes: TraceWishes) {
    let error = TraceCapture.shared.arm(
      file.imagePath, temporary: file.temporary, notice: file.crashNotice)
    if error != 0 { complain("a crash will not be recorded: \(errorText(error)).") }
    // This thread's stack for a crash.
    TraceCapture.attend()
    if wishes.writesAtEnd, csb_trace_at_end({ TraceEnvironment.write(.programEnded) }) != 0 {
      complain("there is no memory left to arrange for the trace at the program's end.")
    }
    guard wishes.signal != 0 || wishes.patience != 0 else { return }
    let refused = TraceAttendant.start {
      TraceEnvironment.write($0)
      if $0 == .signal { csb_trace_end_as_asked() }
    }
    if refused != 0 {
      return complain(
        "no trace is written while the program runs, because pthread_create failed with "
          + "\(errorText(refused)).")
    }
    csb_trace_patience_store(wishes.patience)
    guard wishes.signal != 0 else { return }
    let failure = csb_trace_listen(wishes.signal, TraceCause.signal.rawValue)
    if failure != 0 {
      complain(
        "the signal does not write the trace, because sigaction failed with \(errorText(failure)).")
    }
  }

  /// Any thread. Not in a forked child: the file is its parent's.
  private static func write(_ cause: TraceCause) {
    guard let file, owner == csb_process_id() else { return }
    // The first item that is late says the most; a stream of them would write all the time.
    if cause == .condition { csb_trace_patience_store(0) }
    do {
      try file.write(cause)
    } catch {
      complain("\(error).")
    }
  }
}

/// Called by `CSignalbox` before `main`, where `SIGNALBOX_TRACE` is set.
@c(csb_trace_begin)
func traceBegin() { TraceEnvironment.begin() }
