// LiveCalls — the system calls in which the threads of a process sleep, and what the calls'
// descriptors lead to.
//
// Sources     proc_pid_syscall(5), proc_pid_fd(5), proc_pid_fdinfo(5).

import Glibc

struct LiveCalls {
  private let process: Int32

  init(of process: Int32) { self.process = process }

  /// By the threads' numbers in the target's own namespace.
  func read(_ threads: [KernelThread]) -> [Int32: SystemCall] {
    var calls: [Int32: SystemCall] = [:]
    var files: [Int32: String] = [:]
    for thread in threads {
      guard var call = call(of: thread.outer) else { continue }
      if let descriptor = call.descriptor {
        let known = files[descriptor] ?? words(for: descriptor)
        files[descriptor] = known
        call.file = known
      }
      calls[thread.kernelID] = call
    }
    return calls
  }

  private func call(of thread: Int32) -> SystemCall? {
    // "1 0x5 0x7f… …", or "running".
    let words = ProcessFile.text("/proc/\(process)/task/\(thread)/syscall")?
      .split(whereSeparator: \.isWhitespace)
    guard let words, words.count > 2, let number = UInt64(words[0]), words[1].hasPrefix("0x"),
      let first = UInt64(words[1].dropFirst(2), radix: 16)
    else { return nil }
    return SystemCall(number: number, first: first)
  }

  // MARK: Descriptors

  /// nil if the descriptor was closed, or belongs to another user.
  private func words(for descriptor: Int32) -> String? {
    guard let file = file(at: descriptor) else { return nil }
    let text = DisplayText.make(Array(file.utf8), isCut: false)
    return file.hasPrefix("pipe:") ? "\(text), \(otherEnds(of: file, descriptor))" : text
  }

  private func file(at descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: Limits.text)
    let count = bytes.withUnsafeMutableBytes {
      readlink("/proc/\(process)/fd/\(descriptor)", $0.baseAddress!, $0.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// Which descriptors of the process are the other end of a pipe.
  private func otherEnds(of pipe: String, _ descriptor: Int32) -> String {
    let isWriter = mode(of: descriptor) == O_WRONLY
    let others = ([0] + ProcessFile.numbers(in: "/proc/\(process)/fd")).prefix(Limits.descriptors)
      .filter { other in
        other != descriptor && file(at: other) == pipe
          && mode(of: other) == (isWriter ? O_RDONLY : O_WRONLY)
      }
    let end = isWriter ? "read" : "written"
    if others.isEmpty {
      return "which no descriptor of this process \(isWriter ? "reads" : "writes")"
    }
    return "which is \(end) at the descriptor "
      + others.prefix(3).map { "\($0)" }.joined(separator: " and ") + " of this process"
  }

  private func mode(of descriptor: Int32) -> Int32? {
    let text = ProcessFile.text("/proc/\(process)/fdinfo/\(descriptor)") ?? ""
    return ProcessFile.words("flags", in: text).first.flatMap { Int32($0, radix: 8) }
      .map { $0 & O_ACCMODE }
  }
}
