// KernelCore — the kernel's own core of a program that a test runs, where the system writes one as a file.

import Glibc
@testable import SignalboxInspector
import SignalboxTestSupport

enum KernelCore {
  /// Whether a core is a file in the folder of the process, of any size.
  static var isWritten: Bool {
    let pattern = ProcessFile.text("/proc/sys/kernel/core_pattern") ?? "|"
    var limit = rlimit()
    return !pattern.hasPrefix("|") && !pattern.contains("/")
      && getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
      && limit.rlim_max == rlim_t.max && access("/usr/bin/prlimit", X_OK) == 0
  }

  /// Starts a program whose core will be in a folder.
  static func start(_ path: String, _ arguments: [String], in folder: String) throws -> LiveProgram
  {
    // The standard library's own handler of signals would end the process without a core.
    let words = ["-C", folder, "SWIFT_BACKTRACE=enable=no"]
    let limit = isWritten ? ["/usr/bin/prlimit", "--core=unlimited"] : []
    return try LiveProgram(ChildProgram(path: "/usr/bin/env"), words + limit + [path] + arguments)
  }

  /// Ends the program by a signal, and returns the path of its core.
  static func end(_ program: LiveProgram, in folder: String) throws -> String? {
    program.send(SIGABRT)
    // It stays in the list of processes, for the end of `program`.
    var information = siginfo_t()
    guard waitid(P_PID, id_t(program.process), &information, WEXITED | WNOWAIT) == 0
    else { return nil }
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("core") { return "\(folder)/\(name)" }
    }
    return nil
  }
}
