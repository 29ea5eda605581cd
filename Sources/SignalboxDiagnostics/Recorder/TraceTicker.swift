// TraceTicker — a thread that runs a function at growing intervals.
//
// The thread sleeps in a plain system call, like the writer's thread, so it does not
// appear in the recording.
//
// Touching    `body`, `first`, `longest`: written before the thread starts.

import CSignalbox
import SignalboxRuntime
import Synchronization

package enum TraceTicker {
  package typealias Body = @Sendable () -> Void

  // SAFETY: see Touching.
  private nonisolated(unsafe) static var body: Body = {}
  private nonisolated(unsafe) static var first: UInt64 = 0
  private nonisolated(unsafe) static var longest: UInt64 = 0
  /// The futex word to sleep on. It never changes, and no thread wakes its
  /// sleeper.
  static let word = Atomic<UInt32>(0)

  /// The minimum ratio between an interval and the duration of the last call,
  /// if intervals grow: the function then uses at most a fiftieth of one
  /// processor.
  private static var rest: UInt64 { 50 }

  /// Starts the thread. Call once in a process.
  ///
  /// - Parameters:
  ///   - first: the first interval, in nanoseconds. Each interval is twice the
  ///     one before.
  ///   - longest: the longest interval. Pass the same value as `first` for a
  ///     fixed interval, however long `body` takes.
  /// - Returns: 0, or the errno with which the kernel refused the thread.
  package static func start(first: UInt64, longest: UInt64, _ body: @escaping Body) -> Int32 {
    TraceTicker.body = body
    TraceTicker.first = first
    TraceTicker.longest = longest
    return KernelThread.start { _ in
      csb_thread_set_name("sb-advice")
      TraceTicker.run()
    }
  }

  private static func run() -> Never {
    var interval = first
    while true {
      let due = Clock.uptime.now.saturatingAdd(interval)
      while Clock.uptime.now < due {
        _ = FutexSleeper.sleep(while: wordAddress(word), is: 0, until: Deadline(.uptime, due))
      }
      let began = Clock.uptime.now
      body()
      if first == longest { continue }
      let took = Clock.uptime.now.saturatingSubtract(began)
      interval = max(
        min(interval.saturatingAdd(interval), longest), took.multipliedOrMost(by: rest))
    }
  }
}

extension UInt64 {
  fileprivate func multipliedOrMost(by other: UInt64) -> UInt64 {
    let (product, isTooMuch) = multipliedReportingOverflow(by: other)
    return isTooMuch ? .max : product
  }
}
