// Threads — what the kernel says about the threads of this process.

import Glibc

/// Whether any thread other than the main thread runs or is ready to run.
func otherThreadsRun() -> Bool {
  guard let directory = opendir("/proc/self/task") else { fail("/proc/self/task cannot be read") }
  defer { closedir(directory) }
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if let thread = pid_t(name), thread != getpid(), !sleeps(thread) { return true }
  }
  return false
}

/// Whether a thread of this process sleeps in the kernel.
func sleeps(_ thread: pid_t) -> Bool {
  guard let file = fopen("/proc/self/task/\(thread)/stat", "r") else { return true }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard fgets(&line, Int32(line.count), file) != nil else { return true }
  // The state follows the name, which is in parentheses and may contain some.
  let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  guard let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < text.count else { return true }
  return text[end + 2] == UInt8(ascii: "S")
}
