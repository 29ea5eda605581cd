// MainThread — whether the toolchain has the main thread and will not give it back.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

enum MainThread {
  /// Whether an `async` main has begun, or the toolchain's `dispatchMain()`: neither ever looks
  /// at our main queue.
  static var isTaken: Bool {
    if MainQueueDrain.isDriven { return false }
    let isWithinTask = withUnsafeCurrentTask { $0 != nil }
    if csb_thread_is_main() != 0 { return isWithinTask }
    if isWithinTask { waitUntilItRests() }
    return systemCall == "\(csb_number_of_sigsuspend())"
  }

  /// An `async` main that awaits something is on its way to where it sleeps for ever, while what
  /// it awaits has begun and calls us: so a task looks again until the main thread sleeps.
  ///
  /// One that computes is not on its way, and is not waited for longer than a tenth of a second.
  private static func waitUntilItRests() {
    let end = DispatchTime.now() + .milliseconds(100)
    let nobody = DispatchSemaphore(value: 0)
    while systemCall == "running", DispatchTime.now() < end {
      _ = nobody.wait(timeout: .now() + .milliseconds(1))
    }
  }

  /// What the main thread sleeps in: a call's number, or `running`; empty where it is not told.
  /// In `sigsuspend(2)` it is left by the toolchain's `dispatchMain()`, with which an `async` main
  /// ends its first part.
  private static var systemCall: Substring {
    let number = csb_process_id()
    guard case .text(let call) = SmallFile.read("/proc/self/task/\(number)/syscall") else {
      return ""
    }
    return call.prefix { $0 != " " && $0 != "\n" }
  }
}
