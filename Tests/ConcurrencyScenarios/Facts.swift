// Facts — what scenarios share: printing, counting, logging, knowing the thread.

package import Glibc
import Synchronization

/// Prints one fact for the test to read.
package func report(_ name: String, _ value: some CustomStringConvertible) {
  print("\(name)=\(value)")
  fflush(nil)
}

/// Ends the program with a message on standard error.
package func fail(_ message: String, _ details: [String] = []) -> Never {
  let text = ([message] + details.map { "  \($0)" }).joined(separator: "\n") + "\n"
  _ = text.utf8CString.withUnsafeBytes { write(2, $0.baseAddress, text.utf8.count) }
  exit(2)
}

/// A count that any thread may change.
package final class Tally: Sendable {
  // order: sequentially consistent throughout: a count that tests read.
  private let value = Atomic<Int>(0)

  package init() {}

  package var count: Int {
    // order: sequentially consistent, as above.
    value.load(ordering: .sequentiallyConsistent)
  }

  @discardableResult
  package func increment() -> Int {
    // order: sequentially consistent, as above.
    value.add(1, ordering: .sequentiallyConsistent).newValue
  }

  @discardableResult
  package func decrement() -> Int {
    // order: sequentially consistent, as above.
    value.subtract(1, ordering: .sequentiallyConsistent).newValue
  }

  /// Raises the count to `least` if it is lower.
  package func raise(to least: Int) {
    // order: sequentially consistent, as above.
    value.max(least, ordering: .sequentiallyConsistent)
  }

  package func add(_ more: Int) {
    // order: sequentially consistent, as above.
    value.add(more, ordering: .sequentiallyConsistent)
  }
}

/// What happened, in order, from any thread.
package final class Log: Sendable {
  private let entries = Locked<[String]>([])

  package init() {}

  package func add(_ entry: some CustomStringConvertible) {
    entries.withLock { $0.append(entry.description) }
  }

  package var all: [String] { entries.withLock { $0 } }
  /// The log in one line, or `none` if it is empty.
  package var joined: String { all.isEmpty ? "none" : all.joined(separator: ",") }
}

/// An object that is counted while it lives.
package final class Tracked: Sendable {
  private let alive: Tally

  package init(_ alive: Tally) {
    self.alive = alive
    alive.increment()
  }

  deinit { alive.decrement() }
}

/// Waits until all of them are freed, for twenty seconds at most. A task's own memory is freed
/// when its last job has returned, a moment after others learn of its end.
package func allFreed(_ alive: Tally) async {
  let end = nanoseconds() + 20_000_000_000
  while alive.count > 0 && nanoseconds() < end { await Task.yield() }
}

// MARK: Threads and time

/// The kernel's number of the calling thread.
package func threadNumber() -> Int {
  var buffer = [CChar](repeating: 0, count: 64)
  let length = readlink("/proc/thread-self", &buffer, buffer.count)
  guard length > 0 else { fail("/proc/thread-self cannot be read") }
  let text = String(decoding: buffer[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.split(separator: "/").last.flatMap { Int($0) } ?? -1
}

/// Whether the caller is on the process's first thread.
package func isOnFirstThread() -> Bool { threadNumber() == Int(getpid()) }

/// Returns the time of a kernel clock in nanoseconds.
package func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int {
  var now = timespec()
  clock_gettime(clock, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// The integer argument at `position` after the scenario's name.
package func integerArgument(_ position: Int, default value: Int) -> Int {
  let index = 3 + position
  guard CommandLine.arguments.count > index else { return value }
  guard let number = Int(CommandLine.arguments[index]) else {
    fail("not a number: \(CommandLine.arguments[index])")
  }
  return number
}
