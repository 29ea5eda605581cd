// InspectionRefusal — why a process cannot be inspected, and which right is missing.
//
// Sources     ptrace(2), "Ptrace access mode checking"; process_vm_readv(2);
//             Documentation/admin-guide/LSM/Yama.rst of the kernel.

import Glibc

package struct InspectionRefusal: Error {
  package let kind: Kind
  package let text: String

  package enum Kind {
    case gone, noRight, noEngine, otherVersion, foreign
    /// A core, or a file of symbols, that cannot be read.
    case core
    /// A process that makes no recording.
    case noRecording
  }

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// A system call has failed.
  init(_ process: Int32, _ code: Int32) {
    switch code {
    case ENOENT, ESRCH: self.init(.gone, "there is no process \(process), or it has just ended")
    case EACCES, EPERM: self.init(.noRight, InspectionRefusal.missingRight(process))
    case ENOSYS:
      self.init(
        .noRight,
        "the system refuses process_vm_readv(2), as the sandbox of a container may: allow it in its "
          + "seccomp profile, or run signalbox outside")
    default:
      self.init(
        .noRight,
        "the memory of process \(process) cannot be read: \(String(cString: strerror(code)))")
    }
  }

  init(symbols path: String, _ reason: String) {
    self.init(.core, "the symbols of \(path) cannot be read: \(reason)")
  }

  init(withoutMemory process: Int32) {
    let status = ProcessFile.text("/proc/\(process)/status") ?? ""
    switch ProcessFile.words("State", in: status).first {
    case nil: self.init(process, ESRCH)
    case "Z": self.init(.gone, "process \(process) has ended, and its parent has not waited for it")
    default: self.init(.noEngine, "process \(process) is a thread of the kernel")
    }
  }

  /// No engine that can be read was found.
  init(_ process: Int32, _ name: String, _ findings: EngineFinder.Findings) {
    self.init(title: "process \(process) (\(name))", findings)
  }

  /// - Parameter title: names the process, as the subject of a sentence.
  init(title: String, _ findings: EngineFinder.Findings) {
    for (path, fault) in findings.refused {
      guard case .version(let version) = fault else { continue }
      self.init(
        .otherVersion,
        version == 0
          ? "\(title) has a Signalbox from before reports from outside, in \(path): build it anew"
          : "\(title) has a Signalbox whose table has version \(version), in \(path); this signalbox reads "
            + "version 1: use the one of that release")
      return
    }
    if let (path, _) = findings.refused.first {
      // For example a debugger, which reads the file of the program that it inspects.
      self.init(
        .noEngine,
        "\(title) has a file with a Signalbox in its memory, \(path), but does not run it")
    } else if findings.isForeign {
      self.init(
        .foreign,
        "\(title) is a program for another kind of machine: only 64-bit programs can be read")
    } else if findings.isCut {
      self.init(
        .noEngine,
        "\(title) has no Signalbox in the \(Limits.codeFiles) files with code that were looked at, and has more"
      )
    } else {
      self.init(.noEngine, "\(title) has no Signalbox in it")
    }
  }

  // MARK: Rights

  private static func missingRight(_ process: Int32) -> String {
    let status = ProcessFile.text("/proc/\(process)/status") ?? ""
    // The real user, then the effective one, the saved one, and the one for file access.
    let owners = ProcessFile.words("Uid", in: status)
    let own = "\(getuid())"
    if let owner = owners.first, owner != own {
      return
        "process \(process) belongs to user \(owner), and you are user \(own): CAP_SYS_PTRACE is missing. "
        + "Use sudo, or run signalbox as that user"
    }
    if owners.contains(where: { $0 != own }) { return moreRights(process) }
    let setting = ProcessFile.text("/proc/sys/kernel/yama/ptrace_scope")?.first
    switch setting {
    case "1":
      return
        "kernel.yama.ptrace_scope is 1, so only a process's parent may read its memory: CAP_SYS_PTRACE "
        + "is missing. Use sudo, or set it to 0 with `sudo sysctl kernel.yama.ptrace_scope=0`"
    case "2":
      return
        "kernel.yama.ptrace_scope is 2: CAP_SYS_PTRACE is missing. Use sudo"
    case "3":
      return
        "kernel.yama.ptrace_scope is 3: no process may read another one's memory until the system is started "
        + "again with another setting"
    default: return moreRights(process)
    }
  }

  private static func moreRights(_ process: Int32) -> String {
    "process \(process) is yours, but has more rights than you (set-user-ID, capabilities), forbids to be "
      + "inspected, or is in another container: CAP_SYS_PTRACE is missing. Use sudo, or start the container "
      + "of signalbox with `--cap-add=SYS_PTRACE`"
  }
}
