// ReportRequest — reports what the threads of another process wait for, or waited for at its end.

import SignalboxInspector

struct ReportRequest {
  let subject: Subject
  /// A file with the symbols of a stripped one.
  let symbols: String?
  let isJSON: Bool

  enum Subject {
    case process(Int32)
    /// A core, and where its program is now.
    case core(String, program: String?)

    var words: String {
      switch self {
      case .process(let process): "process \(process)"
      case .core(let path, _): path
      }
    }
  }

  /// Prints the report, or says why there is none. Returns the status.
  func carryOut() -> Int32 {
    // The copy prints the report itself. `next` only waits for its end.
    var copy = ReadingCopy { _ in
      do throws(InspectionRefusal) {
        let report = try report()
        put(isJSON ? report.json + "\n" : report.text)
      } catch {
        fail(error.text, status: 1)
      }
    }
    if case .timeOut = copy.next(within: inspectionLimit) {
      copy.end(byForce: true)
      tell(
        "\(subject.words) could not be read within \(inspectionLimit) s: it serves its own page faults and does not, "
          + "or the machine is busy")
      return 1
    }
    if let status = copy.end(byForce: false) { return status }
    tell("reading \(subject.words) has failed")
    return 1
  }

  private func report() throws(InspectionRefusal) -> TargetReport {
    let symbols = try symbols.map { path throws(InspectionRefusal) in try SymbolFile(path) }
    return switch subject {
    case .process(let process): try Target.report(of: process, symbols: symbols)
    case .core(let path, let program):
      try CoreTarget(path, program: program).inspect(symbols: symbols)
    }
  }
}

/// How long reading takes at most, in seconds: many times what a process with thousands of threads
/// takes on a busy machine.
let inspectionLimit: UInt32 = 60
