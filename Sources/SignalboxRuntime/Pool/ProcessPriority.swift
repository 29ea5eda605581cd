// ProcessPriority — the kernel priority that the process's threads have as long as
// nothing else is said about them.
//
// Touching    `kept`, `changed`: any thread, atomically.

import CSignalbox
import Synchronization

package enum ProcessPriority {
  /// The process's nice value, once the main thread's own does not stand for it any
  /// more; `unknown` before.
  static let kept = Atomic<Int32>(unknown)
  private static let unknown = Int32.max

  /// The main thread's nice value stands for it, until that is changed from here.
  static var nice: Int32 {
    let kept = kept.load(ordering: .relaxed)  // order: relaxed; a number, which carries nothing.
    return kept == unknown ? csb_thread_nice(csb_process_id()) : kept
  }

  /// Whether this thread's priority is another one, so that a thread started from here
  /// would have it too.
  static var isChangedHere: Bool { csb_thread_nice(0) != nice }

  /// Whether it is lower.
  static var isLoweredHere: Bool { csb_thread_nice(0) > nice }

  /// To be called before a thread's priority is changed: has a starter made that keeps
  /// the process's.
  ///
  /// - Returns: 0, or what the kernel refused the starter with.
  static func prepareToChange(mainThread: Bool) -> Int32 {
    if mainThread && kept.load(ordering: .relaxed) == unknown {  // order: relaxed; as above.
      // order: relaxed; whoever comes second finds what the first has put there.
      _ = kept.compareExchange(
        expected: unknown, desired: csb_thread_nice(csb_process_id()), ordering: .relaxed)
    }
    return Starter.arrange()
  }

  /// Gives the thread with this kernel id, 0 for the calling one, a nice value that is
  /// so much more than the process's.
  ///
  /// - Returns: 0, or EACCES or EPERM where the process may not.
  static func set(_ niceness: Int32, onThread kernelID: Int32) -> Int32 {
    csb_thread_set_nice(kernelID, max(-20, min(19, nice + niceness)))
  }
}
