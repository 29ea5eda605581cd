// ReportedDeadlock — a deadlock that another thread could end, and none does.

import Glibc
import SignalboxDispatch

/// From here on a deadlock ends the process, with its report on standard error. The library itself
/// ends no process whose deadlock another thread may still end: any thread may unlock an `NSLock`.
func endAtADeadlock() {
  BlockedReport.onDeadlock { report in
    let bytes = Array("\(report)\n".utf8)
    write(STDERR_FILENO, bytes, bytes.count)
    exit(EXIT_FAILURE)
  }
}
