// MainThread — whether the toolchain runs the main thread until the process
// ends.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

enum MainThread {
  /// Whether an `async` main or the toolchain's `dispatchMain()` has begun: neither ever
  /// drains our main queue.
  static var isTaken: Bool {
    if MainQueueDrain.isDriven { return false }
    let isWithinTask = withUnsafeCurrentTask { $0 != nil }
    if csb_thread_is_main() != 0 { return isWithinTask }
    if isWithinTask { waitUntilItRests() }
    return systemCall == "\(csb_number_of_sigsuspend())"
  }

  /// Waits until the main thread sleeps. An `async` main that awaits something goes to sleep
  /// forever, but the awaited code may begin and call us before that. So a task checks repeatedly
  /// until the main thread sleeps.
  ///
  /// If the main thread computes instead, the wait ends after a tenth of a second.
  private static func waitUntilItRests() {
    let end = DispatchTime.now() + .milliseconds(100)
    let nobody = DispatchSemaphore(value: 0)
    while systemCall == "running", DispatchTime.now() < end {
      _ = nobody.wait(timeout: .now() + .milliseconds(1))
    }
  }

  /// The system call in which the main thread sleeps: its number, or `running`; empty if
  /// unknown. The toolchain's `dispatchMain()`, with which an `async` main ends its first part,
  /// leaves the thread in `sigsuspend(2)`.
  private static var systemCall: Substring {
    let number = csb_process_id()
    guard case .text(let call) = SmallFile.read("/proc/self/task/\(number)/syscall") else {
      return ""
    }
    return call.prefix { $0 != " " && $0 != "\n" }
  }
}
