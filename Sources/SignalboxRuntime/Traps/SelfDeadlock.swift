// SelfDeadlock — a thread that is about to wait for itself.
//
// Touching    nothing that changes: the environment is read before `main`.

import CSignalbox

/// What happens at a deadlock.
package enum OnMisuse {
  /// Whether a deadlock is only reported on standard error. Its threads then wait forever, and the
  /// process goes on. Otherwise a deadlock ends the process.
  package static var reports: Bool { csb_misuse_report_load() != 0 }
}

/// Ends the process because the calling thread is about to wait for itself. If deadlocks are only
/// reported, the thread waits forever, and the rest of the program continues.
///
/// - Parameters:
///   - what: names the object, what the program did, and what to do instead.
///   - reason: the reason for the wait, for reports.
///   - resource: what the thread waits for.
@inline(never)
package func selfDeadlock(_ what: String, for reason: WaitReason, on resource: WaitResource)
  -> Never
{
  guard OnMisuse.reports else { clientBug(what) }
  warn(what)
  // No thread writes this word, so the wait has no end.
  let never = SingleWriter<UInt32>(0)
  while true {
    _ = Parking.wait(
      while: wordAddress(never), is: 0, until: .never, for: reason,
      // The deadlock is reported already.
      on: resource.withoutNeed)
  }
}
