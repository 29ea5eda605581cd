// ThreadLoop — where the engine keeps a thread's run loop, and how it ends the loop with the
// thread. The run loop itself is in a module above.
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
  ///   - loop: the loop, with a reference that `end` releases.
  ///   - end: called with the loop on the thread when the thread ends.
  package static func set(
    _ loop: UnsafeMutableRawPointer, end: @convention(c) (UnsafeMutableRawPointer) -> Void
  ) {
    csb_thread_self().pointee.run_loop = loop
    csb_thread_self().pointee.run_loop_end = end
    let error = ThreadEnd.arrange()
    if error != 0 {
      environmentFailure(
        "pthread_key_create", error,
        "the end of a thread cannot be detected, nor its run loop freed; use fewer keys.")
    }
  }

  /// Ends the thread's loop. From now on the thread has none.
  static func endOfThisThread() {
    guard let loop = csb_thread_self().pointee.run_loop else { return }
    csb_thread_self().pointee.run_loop = nil
    csb_thread_self().pointee.run_loop_end?(loop)
  }
}
