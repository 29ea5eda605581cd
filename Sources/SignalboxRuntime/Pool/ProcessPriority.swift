// ProcessPriority — the kernel priority of the process's threads that have no priority of
// their own.

import CSignalbox

package enum ProcessPriority {
  /// The process's nice value, once the main thread may have another one; `unknown` before. Written
  /// once, by any thread; it publishes no other data.
  static let kept = Relaxed<Int32>(unknown)
  private static let unknown = Int32.max

  /// The process's nice value. It equals the main thread's nice value until the library changes the
  /// latter.
  static var nice: Int32 {
    let kept = kept.load()
    return kept == unknown ? csb_thread_nice(csb_process_id()) : kept
  }

  /// Whether this thread's priority differs from the process's. A thread that this thread starts
  /// would inherit it.
  static var isChangedHere: Bool { csb_thread_nice(0) != nice }

  /// Whether this thread's priority is lower than that of the process.
  package static var isLoweredHere: Bool { csb_thread_nice(0) > nice }

  /// Call this before a thread's priority is changed. It creates a starter, which keeps
  /// the process's priority.
  ///
  /// - Returns: 0, or the errno with which the kernel refused the starter.
  static func prepareToChange(mainThread: Bool) -> Int32 {
    if mainThread && kept.load() == unknown {
      _ = kept.compareExchange(expected: unknown, desired: csb_thread_nice(csb_process_id()))
    }
    return Starter.arrange()
  }

  /// Sets the nice value of the thread with this kernel id, or of the calling thread if
  /// it is 0. `niceness` is added to the process's nice value.
  ///
  /// - Returns: 0, or EACCES or EPERM if the process may not do that.
  static func set(_ niceness: Int32, onThread kernelID: Int32) -> Int32 {
    csb_thread_set_nice(kernelID, max(-20, min(19, nice + niceness)))
  }
}
