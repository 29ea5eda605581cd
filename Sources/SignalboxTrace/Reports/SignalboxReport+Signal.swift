// SignalboxReport+Signal — reports on demand from outside.

import SignalboxDispatch
import SignalboxRuntime

extension SignalboxReport {
  /// Where reports go that nobody in the program asks for.
  public enum Destination: Sendable, Equatable {
    /// In words.
    case standardError
    /// To the end of the file at this path, which is made if there is none: as JSON, one line a
    /// report, if the path ends in `.json`, else in words.
    case file(String)
  }

  /// Writes a report whenever the signal is delivered to the process.
  ///
  /// ```swift
  /// SignalboxReport.printOnSignal(SIGUSR2)  // kill -USR2 4711
  /// ```
  ///
  /// The same is done without a change to the program by the environment's
  /// `SIGNALBOX_REPORT=USR2`, or `SIGNALBOX_REPORT=USR2:/tmp/report.json`, from before `main`.
  /// A destination given later for the same signal takes the place of the one before.
  ///
  /// Send the signal only to a process that has called this or was started so: a process that
  /// does not catch `SIGUSR1` or `SIGUSR2` is ended by it.
  ///
  /// The signal is caught by a source, as
  /// `DispatchSource.makeSignalSource(signal:queue:)` says. The report is made by a worker of
  /// the pool, of the highest quality of service: if all of them wait, another one is started
  /// for it. Where a reader of standard error does not read, what it has no room for is
  /// dropped after a second. A file that cannot be written to is named on standard error.
  ///
  /// A forked child has its parent's signals no more: it asks for its own.
  ///
  /// Any thread. Without this nothing is caught and nothing paid.
  ///
  /// - Parameters:
  ///   - signal: the signal's number. One that cannot be caught is refused on standard error; a
  ///     number that is no signal's traps.
  ///   - destination: standard error, or a file.
  public static func printOnSignal(_ signal: Int32, to destination: Destination = .standardError) {
    let source = DispatchSource.makeSignalSource(signal: signal, queue: ReportPrinter.queue)
    source.setEventHandler { ReportPrinter.write(to: destination) }
    source.activate()
    ReportSources.shared.keep(source, for: signal)?.cancel()
  }

  /// Takes ``printOnSignal(_:to:)`` back: the signal does what it did before, which for `SIGUSR1`
  /// and `SIGUSR2` is to end the process if nothing else catches them.
  public static func stopPrinting(onSignal signal: Int32) {
    ReportSources.shared.keep(nil, for: signal)?.cancel()
  }
}

enum ReportPrinter {
  /// One after the other, and before whatever else waits for a worker.
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
    if error != 0, let path { complain("no report was written to \(path) (\(errorText(error)))") }
  }
}

/// `SIGNALBOX_REPORT`: a signal's name, and where the report goes.
struct ReportWish: Equatable {
  let signal: Int32
  let destination: SignalboxReport.Destination

  /// - Parameter text: "USR2", "SIGUSR2" or "USR2:FILE". nil for anything else.
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

/// Called before `main` where the environment asks for reports.
@c(csb_report_begin)
func beginReports(_ wanted: UnsafePointer<CChar>) {
  let text = String(cString: wanted)
  guard let wish = ReportWish(text) else {
    return complain(
      "SIGNALBOX_REPORT=\(text) is ignored: it must be a signal's name, as USR2, or such a name "
        + "and a file, as USR2:/tmp/report.json")
  }
  SignalboxReport.printOnSignal(wish.signal, to: wish.destination)
}
