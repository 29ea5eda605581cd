// ThreadLoop — what the engine knows of run loops, which a module above makes: that a
// thread's ends with the thread, and that the process forks.
//
// Touching    `step`: any thread, atomically; changed under `making`. The thread's own place:
//             that thread.
// Invariants  I1  what run loops make once is made under `making`, which a thread that forks
//                 takes first: none of it is half made in a child.

import CSignalbox
import Synchronization

package enum ThreadLoop {
  /// What is to be done.
  package enum Task: Int32 {
    /// A thread ends: to end the loop given, and give back the reference that the thread has.
    case end
    /// Before a fork: to take the locks of all loops.
    case lock
    /// After it, in both processes: to leave them.
    case unlock
    /// In a child: to drop what belongs to threads that are not there.
    case forget
  }

  /// Does a task: its raw value, and the loop if it is about one.
  package typealias Step = @convention(c) (_ task: Int32, UnsafeMutableRawPointer?) -> Void

  /// The function's address; 0 for none.
  static let step = Atomic<UInt>(0)

  static let making = EngineLock()

  /// Whether what run loops make once is made, or is being made.
  package static var isArranged: Bool {
    step.load(ordering: .relaxed) != 0  // order: relaxed; as in `take`.
  }

  /// Has `step` called from now on: always the same function. Makes by `body` what run loops
  /// make once; again freely.
  package static func arrange(_ step: @escaping Step, making body: () -> Void) {
    // First: a fork that nobody was prepared for is over then.
    ForkProtocol.arrange()
    making.lock()
    // SAFETY: a function's address, turned back by `take`.
    let address = unsafeBitCast(step, to: UInt.self)
    // order: relaxed; the function needs nothing but itself.
    self.step.store(address, ordering: .relaxed)
    body()
    making.unlock()
  }

  static func lockForFork() {
    making.lock()
    take(.lock)
  }

  static func unlockAfterFork() {
    take(.unlock)
    making.unlock()
  }

  static func take(_ task: Task, _ loop: UnsafeMutableRawPointer? = nil) {
    // order: relaxed; as in `arrange`.
    let address = step.load(ordering: .relaxed)
    // SAFETY: `arrange` stored a function of this type.
    if address != 0 { unsafeBitCast(address, to: Step.self)(task.rawValue, loop) }
  }

  /// The calling thread's loop, if it has one.
  package static var ofThisThread: UnsafeMutableRawPointer? {
    csb_thread_self().pointee.run_loop
  }

  /// The calling thread has a loop from now on.
  ///
  /// - Parameter loop: with a reference that is given back at the thread's end.
  package static func set(_ loop: UnsafeMutableRawPointer) {
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
    take(.end, loop)
  }
}
