// ProcessLife — a process, distinguished from a later one with the same number. The process may
// begin another program: see `ProcessIdentity`.
//
// Sources     proc_pid_stat(5), "state" and "starttime".

package struct ProcessLife: Hashable {
  package let process: Int32
  /// When it was started, in the kernel's units since the start of the system.
  private let started: UInt64

  /// nil if there is no such process, or it has ended.
  package init?(_ process: Int32) {
    // "4711 (a name) S 1 …": the name may contain anything; the state is the third field.
    guard let stat = ProcessFile.text("/proc/\(process)/stat"), let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "X", let started = UInt64(fields[19]) else { return nil }
    // The first thread has ended; other threads may continue to run.
    if fields[0] == "Z" && ProcessFile.numbers(in: "/proc/\(process)/task").count < 2 { return nil }
    self.process = process
    self.started = started
  }

  /// Whether the process still runs.
  package var isAlive: Bool { ProcessLife(process) == self }
}
