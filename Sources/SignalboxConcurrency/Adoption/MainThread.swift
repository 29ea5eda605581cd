// MainThread — whether the toolchain has the main thread and will not give it back.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

enum MainThread {
  /// Whether an `async` main has begun, or the toolchain's `dispatchMain()`: neither ever looks
  /// at our main queue.
  static var isTaken: Bool {
    if MainQueueDrain.isDriven { return false }
    if csb_thread_is_main() != 0 { return withUnsafeCurrentTask { $0 != nil } }
    return sleepsForEver
  }

  /// Whether it stands in `sigsuspend(2)`: that is where the toolchain's `dispatchMain()`
  /// leaves it, with which an `async` main ends its first part.
  private static var sleepsForEver: Bool {
    let number = csb_process_id()
    guard case .text(let call) = SmallFile.read("/proc/self/task/\(number)/syscall") else {
      return false
    }
    return call.prefix { $0 != " " } == "\(csb_number_of_sigsuspend())"
  }
}
