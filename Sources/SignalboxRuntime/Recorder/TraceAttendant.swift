// TraceAttendant — a thread that waits for a reason to write the recording.
//
// A signal's handler cannot do that, nor can the thread that finds an item late: they only
// say so (`csb_trace_call`). It is made where such reasons are asked for, and sleeps bare: it is
// no part of what is recorded.
//
// Touching    `body`: written before the thread is started.

import CSignalbox

package enum TraceAttendant {
  /// Told of each cause, on the attendant's thread.
  package typealias Body = @Sendable (TraceCause) -> Void

  // SAFETY: see Touching.
  private nonisolated(unsafe) static var body: Body = { _ in }

  /// Starts it. Once in a process.
  ///
  /// - Returns: 0, or what the kernel refused the thread with.
  package static func start(_ body: @escaping Body) -> Int32 {
    TraceAttendant.body = body
    let thread = KernelThread(
      body: { _ in
        csb_thread_set_name("sb-trace")
        TraceAttendant.run()
      }, context: nil)
    return Starter.start(thread)
  }

  private static func run() -> Never {
    while true {
      let causes = csb_trace_await_calls()
      for cause in TraceCause.allCases where causes & 1 << cause.rawValue != 0 { body(cause) }
    }
  }
}
