// ProcessFacts — what the kernel reports about this process's threads.

import ConcurrencyScenarios
import Glibc

/// The kernel's numbers of all threads of this process.
func threadNumbers() -> [Int] {
  guard let directory = opendir("/proc/self/task") else { fail("/proc/self/task cannot be read") }
  defer { closedir(directory) }
  var numbers: [Int] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if let number = Int(name) { numbers.append(number) }
  }
  return numbers.sorted()
}

/// The name of the calling thread.
func threadName() -> String {
  guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
  defer { fclose(file) }
  return line(of: file) ?? ""
}

/// Whether the process's first thread is asleep in the kernel.
func firstThreadSleeps() -> Bool {
  guard let file = fopen("/proc/self/task/\(getpid())/status", "r") else { return false }
  defer { fclose(file) }
  while let line = line(of: file) {
    if line.hasPrefix("State:") { return line.contains("S (sleeping)") }
  }
  return false
}

/// How often threads woke between two readings.
func wakeUps(from before: [Int: Int], to after: [Int: Int]) -> Int {
  var wakeUps = 0
  for (thread, count) in after { wakeUps += count - (before[thread] ?? 0) }
  // A thread that ended in between had to wake for that.
  for thread in before.keys where after[thread] == nil { wakeUps += 1 }
  return wakeUps
}

/// The context switches of every thread except the caller's. An involuntary switch counts too,
/// because a thread that lost the processor was awake.
func contextSwitches(except own: Int) -> [Int: Int] {
  var switches: [Int: Int] = [:]
  for thread in threadNumbers() where thread != own {
    guard let file = fopen("/proc/self/task/\(thread)/status", "r") else { continue }
    defer { fclose(file) }
    var sum = 0
    while let line = line(of: file) {
      guard line.contains("voluntary_ctxt_switches:") else { continue }
      sum += Int(line.split(whereSeparator: { $0 == ":" || $0 == "\t" })[1]) ?? 0
    }
    switches[thread] = sum
  }
  return switches
}

private func line(of file: UnsafeMutablePointer<FILE>) -> String? {
  var buffer = [CChar](repeating: 0, count: 512)
  guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
  let text = buffer.prefix { $0 != 0 && $0 != 10 }
  return String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
