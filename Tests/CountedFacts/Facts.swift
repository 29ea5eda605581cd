// Facts — what scenarios share: printing a fact, counting, and reading what the kernel
// and the allocator report about this process.

import Glibc
import Synchronization

/// Prints one fact for the test to read.
func report(_ name: String, _ value: some CustomStringConvertible) {
  print("\(name)=\(value)")
  fflush(nil)
}

/// Ends the program with a message on standard error.
func fail(_ message: String, _ details: [String] = []) -> Never {
  let text = ([message] + details.map { "  \($0)" }).joined(separator: "\n") + "\n"
  _ = text.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, text.utf8.count) }
  exit(2)
}

/// A count that any thread may change.
final class Tally: Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  func increment() -> Int {
    value.add(1, ordering: .sequentiallyConsistent).newValue
  }

  /// Raises the count to `most` if it is lower.
  func raise(to most: Int) { value.max(most, ordering: .sequentiallyConsistent) }

  func add(_ more: Int) { value.add(more, ordering: .sequentiallyConsistent) }

  @discardableResult
  func decrement() -> Int {
    value.subtract(1, ordering: .sequentiallyConsistent).newValue
  }
}

/// An object that is counted while it lives.
final class Tracked: Sendable {
  private let alive: Tally

  init(_ alive: Tally) {
    self.alive = alive
    alive.increment()
  }

  deinit { alive.decrement() }
}

/// The integer argument at `position` after the scenario's name.
func integerArgument(_ position: Int, default value: Int) -> Int {
  let index = 2 + position
  guard CommandLine.arguments.count > index else { return value }
  guard let number = Int(CommandLine.arguments[index]) else {
    fail("not a number: \(CommandLine.arguments[index])")
  }
  return number
}

/// Milliseconds of the monotonic clock.
func milliseconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) * 1e3 + Double(now.tv_nsec) / 1e6
}

/// Sleeps in the kernel without using the library that is measured.
func sleepInKernel(seconds: Int = 0, milliseconds: Int = 0) {
  var rest = timespec(tv_sec: seconds, tv_nsec: milliseconds * 1_000_000)
  var left = timespec()
  while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
}

/// The kernel's numbers of all threads of this process.
func threadNumbers() -> [Int] {
  guard let directory = opendir("/proc/self/task") else {
    fail("/proc/self/task cannot be read")
  }
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

/// Returns the whole contents of a small file of procfs, or nil if the file is gone.
func contents(of path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
  return String(decoding: bytes, as: UTF8.self)
}

/// The resident memory of this process in bytes.
func bytesResident() -> Int {
  let fields = contents(of: "/proc/self/statm")?.split(separator: " ") ?? []
  guard fields.count > 1, let pages = Int(fields[1]) else {
    fail("/proc/self/statm cannot be read")
  }
  return pages * Int(getpagesize())
}

// MARK: Threads

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  // SAFETY: retained here, released by the thread.
  let context = Unmanaged.passRetained(Body(body)).toOpaque()
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { context in
      // SAFETY: as above.
      Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, context)
  if error != 0 { fail("no thread: \(error)") }
  pthread_detach(thread)
}

private final class Body {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
