// TraceWriterThread — a thread that waits for a reason to write the recording.
//
// A signal handler cannot write the recording, nor can the thread that finds an
// item late. They only post the cause with `csb_trace_call`. The recorder
// starts this thread when the configuration asks for such causes. The thread
// sleeps in a plain system call, so it does not appear in the recording.
//
// Touching    `body`: written before the thread starts.

import CSignalbox
import SignalboxRuntime

package enum TraceWriterThread {
  /// Called on the writer thread, once for each cause that was posted.
  package typealias Body = @Sendable (TraceCause) -> Void

  // SAFETY: see Touching.
  private nonisolated(unsafe) static var body: Body = { _ in }

  /// Starts the thread. Call once in a process.
  ///
  /// - Returns: 0, or the errno with which the kernel refused the thread.
  package static func start(_ body: @escaping Body) -> Int32 {
    TraceWriterThread.body = body
    return KernelThread.start { _ in
      csb_thread_set_name("sb-trace")
      TraceWriterThread.run()
    }
  }

  private static func run() -> Never {
    while true {
      let causes = csb_trace_await_calls()
      for cause in TraceCause.allCases where causes & 1 << cause.rawValue != 0 { body(cause) }
    }
  }
}
