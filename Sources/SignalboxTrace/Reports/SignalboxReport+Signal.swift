// SignalboxReport+Signal — prints a report when a signal arrives.

import SignalboxDispatch
import SignalboxRuntime

extension SignalboxReport {
  /// Writes a report whenever the signal is delivered to the process.
  ///
  /// ```swift
  /// SignalboxReport.printOnSignal(SIGUSR2)  // kill -USR2 4711
  /// ```
  ///
  /// To get the same without changing the program, from before `main`, set
  /// `SIGNALBOX_REPORT=USR2` or `SIGNALBOX_REPORT=USR2:/tmp/report.json` in the
  /// environment. A later call for the same signal replaces the destination.
  ///
  /// Send the signal only to a process that has called this function or was
  /// started with that variable: `SIGUSR1` and `SIGUSR2` end a process that
  /// does not catch them.
  ///
  /// A signal source catches the signal, as
  /// `DispatchSource.makeSignalSource(signal:queue:)` describes. A worker of
  /// the pool makes the report at the highest quality of service; if all
  /// workers wait, the pool starts another one for it. If nothing reads from
  /// standard error, output that does not fit into its buffer is dropped after
  /// a second. If a file cannot be written, a message on standard error names
  /// it.
  ///
  /// A forked child does not inherit its parent's signals: it has to call this
  /// function itself.
  ///
  /// Call it from any thread. Until you do, no signal is caught and there is no
  /// cost.
  ///
  /// - Parameters:
  ///   - signal: the signal's number. A signal that cannot be caught is refused
  ///     with a message on standard error; an invalid number traps.
  ///   - destination: standard error, or a file.
  public static func printOnSignal(_ signal: Int32, to destination: Destination = .standardError) {
    let source = DispatchSource.makeSignalSource(signal: signal, queue: ReportPrinter.queue)
    source.setEventHandler { ReportPrinter.write(to: destination) }
    source.activate()
    ReportSources.shared.keep(source, for: signal)?.cancel()
  }

  /// Undoes ``printOnSignal(_:to:)``. The signal does again what it did before;
  /// `SIGUSR1` and `SIGUSR2` end the process if nothing else catches them.
  public static func stopPrinting(onSignal signal: Int32) {
    ReportSources.shared.keep(nil, for: signal)?.cancel()
  }
}

enum ReportPrinter {
  /// Serial, and at a QoS that runs before other work in the pool.
  static let queue = DispatchQueue(label: "org.signalbox.report", qos: .userInteractive)

  static func write(to destination: SignalboxReport.Destination) {
    let report = SignalboxReport.now
    switch destination {
    case .standardError: write(report.text, toFile: nil)
    case .file(let path): write(path.hasSuffix(".json") ? report.json : report.text, toFile: path)
    }
  }

  private static func write(_ text: String, toFile path: String?) {
    var text = text + "\n"
    let error = text.withUTF8 { ReportFile.write($0, to: path) }
    if error != 0, let path { warn("no report was written to \(path) (\(errorText(error))).") }
  }
}

/// The value of `SIGNALBOX_REPORT`: a signal's name and the destination.
struct ReportSetting: Equatable {
  let signal: Int32
  let destination: SignalboxReport.Destination

  /// Parses "USR2", "SIGUSR2" or "USR2:FILE"; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].hasPrefix("SIG") ? parts[0].dropFirst(3) : parts[0]
    let known = (1...SignalTable.lastSignal).first { SignalTable.name(of: $0) == "SIG\(name)" }
    guard let known else { return nil }
    signal = known
    if parts.count == 1 {
      destination = .standardError
    } else if parts[1].isEmpty {
      return nil
    } else {
      destination = .file(String(parts[1]))
    }
  }
}

/// `CSignalbox` calls this before `main` if `SIGNALBOX_REPORT` is set.
@_cdecl("csb_report_begin")
func beginReports(_ wanted: UnsafePointer<CChar>) {
  let text = String(cString: wanted)
  guard let setting = ReportSetting(text) else {
    return warn(
      "SIGNALBOX_REPORT=\(text) is ignored: it must be a signal name such as USR2, or a name and "
        + "a file such as USR2:/tmp/report.json")
  }
  SignalboxReport.printOnSignal(setting.signal, to: setting.destination)
}
