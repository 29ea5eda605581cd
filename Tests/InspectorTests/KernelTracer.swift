// KernelTracer — bpftrace, where this machine allows it.

import SignalboxTestSupport
import Testing

enum KernelTracer {
  static let path = "/usr/bin/bpftrace"

  /// Whether this process may trace programs: that needs privilege, a kernel with uprobes and BPF, and
  /// a bpftrace that knows it.
  static let isAllowed = runs("BEGIN { exit(); }")

  /// Whether it may also trace the kernel's own events, which needs the kernel's files of them.
  static let seesTheKernel = runs("BEGIN { exit(); } tracepoint:sched:sched_switch { exit(); }")

  private static func runs(_ script: String) -> Bool {
    let outcome = try? ChildProgram(path: path).run(["-e", script])
    return outcome?.exit == .code(0)
  }

  static let condition: Comment = "bpftrace needs privilege, and a kernel that traces programs"
  static let kernelCondition: Comment = "the kernel shows bpftrace no events of its scheduler"
}
