// Runner — runs listings and prints how they went.

import ChildProcess
import SignalboxDispatch
import Glibc

enum Runner {
  /// The time after which a listing is taken to be stuck. None needs more than
  /// about two seconds; the rest is for slow and busy machines.
  private static let wedgeLimit = 60

  /// Runs every listing and prints a line for each. Returns the exit status.
  static func runAll() -> Int32 {
    var failures = 0
    for listing in Listing.all {
      let failed = run(listing, isPrinted: false).failed
      let verdict = failed.isEmpty ? "ok" : "FAILED"
      print("\(listing.number)  \(verdict)  \(listing.shows): \(listing.outcome)")
      for statement in failed { print("        does not hold: \(statement)") }
      if !failed.isEmpty { failures += 1 }
    }
    print("\(Listing.all.count) listings, \(failures) failed")
    return failures == 0 ? 0 : 1
  }

  /// Runs listings and prints their story. Returns the exit status.
  static func tell(_ listings: [Listing]) -> Int32 {
    var hasFailed = false
    for listing in listings {
      print("\(listing.number)  \(listing.heading)")
      print("  shows: \(listing.shows)")
      print("  outcome: \(listing.outcome)")
      if let truth = listing.truth { print("  in truth: \(truth)") }
      print("  rows: \(listing.rows.joined(separator: ", "))")
      let (passed, failed) = run(listing, isPrinted: true)
      print("  \(failed.isEmpty ? "ok" : "FAILED") (\(passed) of \(passed + failed.count) checks)")
      if !failed.isEmpty { hasFailed = true }
    }
    return hasFailed ? 1 : 0
  }

  /// Runs a listing's fault, which mostly ends the process.
  static func runFault(_ fault: () -> Void) -> Int32 {
    // An expected trap leaves no core file, and one that fails to come no
    // process that waits forever.
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    alarm(UInt32(wedgeLimit / 2))
    fault()
    return 0
  }

  /// Runs one listing on a queue of its own. A stuck listing ends the process:
  /// what it holds cannot be taken back.
  private static func run(
    _ listing: Listing, isPrinted: Bool
  ) -> (passed: Int, failed: [String]) {
    let result = Cell<(passed: Int, failed: [String])>((0, []))
    let finished = DispatchSemaphore(value: 0)
    DispatchQueue(label: "listing \(listing.number)").async {
      let story = Story(isPrinted: isPrinted) { try reportFault(of: listing) }
      var outcome: (passed: Int, failed: [String])
      do {
        try listing.body(story)
        outcome = story.result
      } catch {
        outcome = story.result
        outcome.failed.append("\(error)")
      }
      // A listing that checks nothing shows nothing.
      if outcome.passed == 0 { outcome.failed.append("at least one check is made") }
      result.value = outcome
      finished.signal()
    }
    guard finished.wait(timeout: .now() + .seconds(wedgeLimit)) == .success else {
      print("\(listing.number)  is stuck after \(wedgeLimit) s:\n\(BlockedReport.text())")
      exit(3)
    }
    return result.value
  }

  /// Runs a listing's fault in a child process, so that its trap can be seen
  /// without being suffered.
  private static func reportFault(of listing: Listing) throws -> FaultReport {
    let child = try ChildProcess.run("/proc/self/exe", ["--fault", listing.number])
    let traps = [SIGABRT, SIGILL, SIGTRAP].map(ChildProcess.End.signal)
    return FaultReport(
      wasTrapped: traps.contains(child.end), message: child.standardError,
      output: child.standardOutput.split(separator: "\n").map(String.init))
  }
}
