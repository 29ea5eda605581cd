import CBenchmark
import Glibc
import Synchronization

/// Prints one fact, under the number of the defect it belongs to.
func report(_ defect: String, _ what: String, _ value: some Any) {
  print("\(implementation)\t\(defect)\t\(what)\t\(value)")
}

/// Waits until the condition holds, for so many milliseconds at most, and gives how
/// long it took.
func milliseconds(until condition: () -> Bool, atMost limit: UInt64 = 3_000) -> UInt64 {
  let start = cbench_now()
  while !condition(), cbench_now() - start < limit * 1_000_000 { cbench_sleep_microseconds(200) }
  return (cbench_now() - start) / 1_000_000
}

/// A number that any thread may change.
final class Count: Sendable {
  private let atomic = Atomic<Int>(0)
  var value: Int { atomic.load(ordering: .acquiring) }
  func increment() { atomic.add(1, ordering: .acquiringAndReleasing) }
  func store(_ value: Int) { atomic.store(value, ordering: .releasing) }
  func raise(to value: Int) { atomic.max(value, ordering: .acquiringAndReleasing) }
}

/// The nice value of the calling thread.
func niceValue() -> Int { Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }

/// The kernel's number of the calling thread.
func threadNumber() -> Int {
  var path = [CChar](repeating: 0, count: 64)
  let length = readlink("/proc/thread-self", &path, path.count)
  let text = String(decoding: path[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  return Int(text.split(separator: "/").last!)!
}

/// The numbers of this process's threads.
func threadNumbers() -> [Int] {
  guard let folder = opendir("/proc/self/task") else { return [] }
  defer { closedir(folder) }
  var numbers: [Int] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if let number = Int(name) { numbers.append(number) }
  }
  return numbers
}

/// The clock on which the kernel counts the time-out of the call that a thread sleeps
/// in: `/proc/self/task/N/syscall` has the call and its arguments.
func clockOfWait(thread: Int) -> String? {
  guard let file = fopen("/proc/self/task/\(thread)/syscall", "r") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 512)
  guard fgets(&line, 512, file) != nil else { return nil }
  let words = line.split(separator: 0)[0].split(separator: 32).map {
    String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  // The operation of futex(2) is its second argument, the time-out its fourth.
  guard words.count > 4, words[0] == futexNumber, words[4] != "0x0",
    let operation = Int(words[2].dropFirst(2), radix: 16)
  else { return nil }
  return operation & 256 != 0 ? "wall" : "monotonic"
}

#if arch(x86_64)
  private let futexNumber = "202"
#else
  private let futexNumber = "98"
#endif
