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

  /// How many times as long as the last time it took is the next interval at least, where it may
  /// change: it then takes a fiftieth of a processor's time.
  private static var rest: UInt64 { 50 }

  /// Starts it. Once in a process.
  ///
  /// - Parameters:
  ///   - first: the first interval, in nanoseconds. Each is twice the one before.
  ///   - longest: the longest; as long as the first where each is to be as long, whatever `body`
  ///     takes.
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
      let began = Clock.uptime.now
      body()
      if first == longest { continue }
      let took = Clock.uptime.now - began
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
