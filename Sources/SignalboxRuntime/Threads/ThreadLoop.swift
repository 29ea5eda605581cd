// ThreadLoop — what the engine knows of a thread's run loop, which a module above makes:
// that it ends with the thread.
//
// Touching    `step`: any thread, atomically; set before the first loop is made. The
//             thread's own place: that thread.

public import CSignalbox
import Synchronization

package enum ThreadLoop {
  /// Ends a loop on its own thread, and gives back the reference that the thread has.
  package typealias End = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The function's address; 0 for none.
  private static let step = Atomic<UInt>(0)

  /// The calling thread's loop, if it has one.
  @inlinable package static var ofThisThread: UnsafeMutableRawPointer? {
    csb_thread_self().pointee.run_loop
  }

  /// The calling thread has a loop from now on.
  ///
  /// - Parameters:
  ///   - loop: with a reference that `end` gives back.
  ///   - end: always the same function.
  package static func set(_ loop: UnsafeMutableRawPointer, end: @escaping End) {
    // SAFETY: a function's address, turned back by `endOfThisThread`.
    let address = unsafeBitCast(end, to: UInt.self)
    // order: relaxed; the function needs nothing but itself.
    step.store(address, ordering: .relaxed)
    csb_thread_self().pointee.run_loop = loop
    let error = ThreadEnd.arrange()
    if error != 0 {
      environmentFailure(
        "pthread_key_create", error,
        "the end of a thread cannot be seen, nor its run loop freed; use fewer keys.")
    }
  }

  /// The thread's end: nobody finds the loop here from now on.
  static func endOfThisThread() {
    guard let loop = csb_thread_self().pointee.run_loop else { return }
    csb_thread_self().pointee.run_loop = nil
    // order: relaxed; as in `set`.
    let address = step.load(ordering: .relaxed)
    // SAFETY: `set` stored a function of this type.
    unsafeBitCast(address, to: End.self)(loop)
  }
}
