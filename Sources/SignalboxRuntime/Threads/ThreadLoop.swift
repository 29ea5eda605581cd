// ThreadLoop — a thread's run loop, as far as the engine knows it: where the thread keeps it, and
// what ends it when the thread ends. The run loop itself is a module above.
//
// Touching    the thread's own storage: that thread.

import CSignalbox

package enum ThreadLoop {
  /// The calling thread's loop, if it has one.
  package static var ofThisThread: UnsafeMutableRawPointer? {
    csb_thread_self().pointee.run_loop
  }

  /// Gives the calling thread a loop.
  ///
  /// - Parameters:
  ///   - loop: with a reference that `end` gives back.
  ///   - end: called with the loop on the thread when it ends.
  package static func set(
    _ loop: UnsafeMutableRawPointer, end: @convention(c) (UnsafeMutableRawPointer) -> Void
  ) {
    csb_thread_self().pointee.run_loop = loop
    csb_thread_self().pointee.run_loop_end = end
    let error = ThreadEnd.arrange()
    if error != 0 {
      environmentFailure(
        "pthread_key_create", error,
        "the end of a thread cannot be seen, nor its run loop freed; use fewer keys.")
    }
  }

  /// The thread ends: it has no loop from now on.
  static func endOfThisThread() {
    guard let loop = csb_thread_self().pointee.run_loop else { return }
    csb_thread_self().pointee.run_loop = nil
    csb_thread_self().pointee.run_loop_end?(loop)
  }
}
