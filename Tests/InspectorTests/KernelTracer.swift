// KernelTracer — bpftrace, where this machine allows it.

import SignalboxTestSupport
import Testing

enum KernelTracer {
  static let path = "/usr/bin/bpftrace"

  /// Whether this process may trace programs: that needs privilege, a kernel with uprobes and BPF, and
  /// a bpftrace that knows it.
  static let isAllowed: Bool = {
    guard let outcome = try? ChildProgram(path: path).run(["-e", "BEGIN { exit(); }"]) else {
      return false
    }
    return outcome.exit == .code(0)
  }()

  static let condition: Comment = "bpftrace needs privilege, and a kernel that traces programs"
}
