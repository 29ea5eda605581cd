// AdviceEnvironment — prints the advice that the environment asks for.
//
// SIGNALBOX_ADVICE        1: print to standard error. A path: append to that
//                         file. 0: none.
// SIGNALBOX_ADVICE_EVERY  how often to look at a running program: 500ms, 30s. By
//                         default after ten seconds, then at intervals that
//                         double each time.
// SIGNALBOX_TRACE_SIZE    bytes for events, as for SIGNALBOX_TRACE.
//
// If SIGNALBOX_TRACE asks for a recording as well, one recording serves both: it
// follows that variable's settings and also records places. Otherwise the
// recording is made only for the advice and disappears with the process.
//
// Touching    `path`, `owner`: written before `main`, by the process's only
//             thread. `said`: under `lock`.
// Invariants  I1  a mistake is reported once for each queue.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

enum AdviceEnvironment {
  // SAFETY: see Touching.
  private nonisolated(unsafe) static var path: String?
  private nonisolated(unsafe) static var owner: Int32 = 0

  /// Held while advice is computed and written, so that no advice is lost at
  /// the end.
  private static let lock = EngineLock()
  // SAFETY: see Touching.
  private nonisolated(unsafe) static var said: Set<Subject> = []

  /// Identifies a mistake that is reported once.
  private struct Subject: Hashable {
    let kind: Advice.Kind
    let queue: String
    let thread: String

    init(_ advice: Advice) {
      kind = advice.kind
      queue = advice.queue
      thread = advice.queue.isEmpty ? advice.thread : ""
    }
  }

  /// The time until the first look at a running program, in nanoseconds: short
  /// enough for a person who watches it.
  private static let firstLook: UInt64 = 10_000_000_000
  /// The longest interval between looks.
  private static let longestInterval: UInt64 = 640_000_000_000

  /// Whether the environment asks for advice.
  static var isWanted: Bool {
    guard let wanted = csb_environment("SIGNALBOX_ADVICE") else { return false }
    return isSet(String(cString: wanted))
  }

  private static func isSet(_ text: String) -> Bool { !text.isEmpty && text != "0" }

  /// The kinds that the advice rules need, for a recording that is made only
  /// for advice. No rule uses the steps of idle workers.
  private static let kinds: TraceRecorder.Kinds = [
    .items, .syncs, .waits, .semaphores, .groups, .threads, .runLoops,
  ]

  /// Called before `main`.
  static func begin(_ wanted: String) {
    guard isSet(wanted) else { return }
    path = wanted == "1" ? nil : wanted
    owner = csb_process_id()
    var (first, longest) = (firstLook, longestInterval)
    if let text = csb_environment("SIGNALBOX_ADVICE_EVERY").map({ String(cString: $0) }),
      !text.isEmpty
    {
      guard let interval = TraceSettings.time(text[...]) else {
        return warn(
          "SIGNALBOX_ADVICE_EVERY=\"\(text)\" is not a time: write 500ms or 30s. This program gets "
            + "no advice.")
      }
      (first, longest) = (interval, interval)
    }
    do {
      if !TraceRecorder.isOn {
        var options = TraceRecorder.Options()
        options.kinds = kinds
        options.places = true
        // The advice reports lost events, and that a larger size would keep
        // them.
        if let size = csb_environment("SIGNALBOX_TRACE_SIZE").map({ String(cString: $0) }),
          !size.isEmpty
        {
          options.memory = try TraceSettings.size("SIGNALBOX_TRACE_SIZE", size)
        }
        try TraceRecorder.start(options, without: [.groupEntered])
      }
    } catch {
      return warn("\(error). This program gets no advice.")
    }
    if csb_trace_at_end({ AdviceEnvironment.tell(atEnd: true) }) != 0 {
      warn("there is no memory left to arrange for advice at the program's end.")
    }
    let refused = TraceTicker.start(first: first, longest: longest) { tell(atEnd: false) }
    if refused != 0 {
      warn(
        "advice comes only at the program's end, because pthread_create failed with "
          + "\(errorText(refused)).")
    }
  }

  /// Does nothing in a forked child, because the recording belongs to the
  /// parent.
  private static func tell(atEnd: Bool) {
    guard owner == csb_process_id() else { return }
    lock.lock()
    defer { lock.unlock() }
    let isFirst = said.isEmpty
    let trace = TraceRecorder.traceSoFar()
    let new = (trace?.advice ?? []).filter { said.insert(Subject($0)).inserted }
    guard !new.isEmpty || (atEnd && isFirst) else { return }
    var text = words(new, trace?.lossWords)
    let error = text.withUTF8 { ReportFile.write($0, to: path) }
    if error != 0, let path {
      warn("the advice could not be written to \(path) (\(errorText(error))).")
    }
  }

  private static func words(_ advice: [Advice], _ losses: String?) -> String {
    let rest = losses.map { ": \($0)" } ?? ""
    let program = "\(String(cString: csb_program_name())) (process \(csb_process_id()))"
    guard !advice.isEmpty else { return "SIGNALBOX: no advice for \(program)\(rest)\n" }
    let pieces = advice.count == 1 ? "one piece" : "\(advice.count) pieces"
    return "SIGNALBOX: \(pieces) of advice for \(program)\(rest)\n"
      + advice.map { $0.text + "\n" }.joined()
  }
}

/// `CSignalbox` calls this before `main` if `SIGNALBOX_ADVICE` is set.
@_cdecl("csb_advice_begin")
func adviceBegin(_ wanted: UnsafePointer<CChar>) {
  AdviceEnvironment.begin(String(cString: wanted))
}
