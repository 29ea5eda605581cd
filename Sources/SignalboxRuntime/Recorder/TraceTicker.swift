// TraceTicker — a thread that does something now and then, at longer and longer intervals.
//
// It sleeps bare, as the attendant does: it is no part of what is recorded.
//
// Touching    `body`, `first`, `longest`: written before the thread is started.

import CSignalbox
import Synchronization

package enum TraceTicker {
  package typealias Body = @Sendable () -> Void

  // SAFETY: see Touching.
  private nonisolated(unsafe) static var body: Body = {}
  private nonisolated(unsafe) static var first: UInt64 = 0
  private nonisolated(unsafe) static var longest: UInt64 = 0
  /// Nobody changes it, nor wakes who sleeps on it.
  static let word = Atomic<UInt32>(0)

  /// Starts it. Once in a process.
  ///
  /// - Parameters:
  ///   - first: the first interval, in nanoseconds. Each is twice the one before.
  ///   - longest: the longest.
  /// - Returns: 0, or what the kernel refused the thread with.
  package static func start(first: UInt64, longest: UInt64, _ body: @escaping Body) -> Int32 {
    TraceTicker.body = body
    TraceTicker.first = first
    TraceTicker.longest = longest
    let thread = KernelThread(
      body: { _ in
        csb_thread_set_name("sb-advice")
        TraceTicker.run()
      }, context: nil)
    return Starter.start(thread)
  }

  private static func run() -> Never {
    var interval = first
    while true {
      let due = Clock.uptime.now.saturatingAdd(interval)
      while Clock.uptime.now < due {
        _ = FutexSleeper.sleep(while: wordAddress(word), is: 0, until: Deadline(.uptime, due))
      }
      body()
      interval = min(interval.saturatingAdd(interval), longest)
    }
  }
}
