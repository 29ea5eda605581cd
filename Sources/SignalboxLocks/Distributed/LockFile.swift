// LockFile — the content of a lock file: which process created it, where, and how to find out
// whether that process is alive.
//
// The file contains a few lines of the form `name=value`. The kernel's mark on the file shows
// whether the process is alive, if the file system supports marks (`life=kernel`); otherwise the
// process's number and start time show it. A missing mark, and the number, mean something only
// under the kernel that the file was written under, which the boot ID identifies. If that was
// another kernel and the file system belongs to this machine alone, the process has ended.

import CSignalbox
import SignalboxRuntime

struct LockFile {
  private static var firstLine: String { "signalbox-lock=1" }

  /// The file as the kernel describes it.
  var kernels: csb_lock_look
  let fields: [Substring: Substring]

  // MARK: Making

  static func take(_ path: String, isNamed: Bool, _ file: inout csb_lock_file) -> Int32 {
    var text = textOfThisProcess
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csb_lock_file_take(path, $0.baseAddress!, $0.count, isNamed ? 1 : 0, &file)
      }
    }
  }

  private static var textOfThisProcess: String {
    let process = csb_process_id()
    return """
      \(firstLine)
      process=\(process)
      start=\(startOfProcess(process) ?? "")
      space=\(processSpace)
      boot=\(boot)
      host=\(line(of: "/proc/sys/kernel/hostname"))

      """
  }

  // MARK: Looking

  static func look(_ path: String) -> LockFile? {
    var kernels = csb_lock_look()
    let capacity = 4096
    var error: Int32 = 0
    let text = String(unsafeUninitializedCapacity: capacity) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        error = csb_lock_file_look(path, $0.baseAddress!, capacity, &kernels)
      }
      return error == 0 ? kernels.size : 0
    }
    return error == 0 ? LockFile(kernels, text) : nil
  }

  init(_ kernels: csb_lock_look, _ text: String) {
    self.kernels = kernels
    var fields: [Substring: Substring] = [:]
    let lines = text.split(separator: "\n")
    if lines.first == Self.firstLine[...] {
      for line in lines.dropFirst() {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { fields[parts[0]] = parts[1] }
      }
    }
    self.fields = fields
  }

  var holder: NSDistributedLock.Holder {
    NSDistributedLock.Holder(
      life: life, processID: fields["process"].flatMap { Int32($0) } ?? 0,
      host: fields["host"].map(String.init) ?? "")
  }

  private var life: NSDistributedLock.Holder.Life {
    if kernels.is_marked > 0 { return .lives }
    if kernels.is_marked < 0 && fields["life"] == "kernel" { return .isUnknown }
    guard let way = fields["life"], let boot = fields["boot"] else { return .isUnknown }
    if boot != Self.boot[...] {
      // The file was written under another kernel. If no other machine can use the file, that
      // was an earlier boot of this machine, so the holder has ended.
      return kernels.may_be_remote == 0 ? .hasEnded : .isUnknown
    }
    return way == "kernel" ? .hasEnded : lifeByNumber
  }

  /// Determines from the process's number whether it is alive, on a file system without marks.
  private var lifeByNumber: NSDistributedLock.Holder.Life {
    guard let space = fields["space"], !space.isEmpty, space == Self.processSpace[...],
      let process = fields["process"].flatMap({ Int32($0) }), let start = fields["start"]
    else { return .isUnknown }
    // The number may belong to another process by now, which started later.
    return Self.startOfProcess(process).map { $0[...] } == start ? .lives : .hasEnded
  }

  // MARK: This machine

  /// The start time of a process in ticks since boot; nil if it does not exist.
  private static func startOfProcess(_ process: Int32) -> String? {
    guard case .text(let text) = SmallFile.read("/proc/\(process)/stat"),
      // The name, in parentheses, may contain any character.
      let name = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[name...].split(separator: " ")
    // The 22nd field; the name is the second.
    return fields.count > 20 ? String(fields[20]) : nil
  }

  /// The kernel's own ID of this boot.
  private static var boot: String { line(of: "/proc/sys/kernel/random/boot_id") }

  /// The container in which this process's number is valid.
  private static var processSpace: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { bytes in
      csb_file_link("/proc/self/ns/pid", bytes.baseAddress!, 64) == 0
        ? String(cString: bytes.baseAddress!) : ""
    }
  }

  private static func line(of path: String) -> String {
    guard case .text(let text) = SmallFile.read(path) else { return "" }
    return text.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// The absolute path; nil if the working directory has none, or if the path contains a zero
  /// byte.
  static func absolute(_ path: String) -> String? {
    if path.utf8.contains(0) { return nil }
    if path.hasPrefix("/") { return path }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
      guard csb_file_directory(bytes.baseAddress!, 4096) == 0 else { return nil }
      return String(cString: bytes.baseAddress!) + "/" + path
    }
  }
}
