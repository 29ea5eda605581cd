// ProcessIdentity — whether a number still means the same process, running the same program.
//
// The system reuses a number some time after its process has ended. And a process keeps its number
// when it begins another program: all addresses that were read before are then those of the old
// program.
//
// Sources     proc_pid_stat(5), "starttime"; proc_pid_auxv(5); execve(2).

struct ProcessIdentity: Equatable {
  /// When the process began, in the kernel's units.
  private let start: Substring
  /// What the kernel gave the program at its start. The addresses in it differ each time.
  private let auxiliary: [UInt8]

  /// - Parameter thread: a thread of the process that still has memory.
  init?(_ process: Int32, thread: Int32) {
    guard let stat = ProcessFile.text("/proc/\(process)/stat"),
      let auxiliary = try? ProcessFile.read("/proc/\(process)/task/\(thread)/auxv").get()
    else { return nil }
    // The name in parentheses may contain anything. Behind it is the third field.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    guard fields.count > ProcessIdentity.startField else { return nil }
    start = fields[ProcessIdentity.startField]
    self.auxiliary = auxiliary
  }

  /// The index of the 22nd field: the parenthesis and the 3rd to 21st fields come before it.
  private static let startField = 20
}
