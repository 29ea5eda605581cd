// ForkLocks — locks of a module above that are taken around a fork, before the engine's.
//
// Touching    `step`: any thread, atomically; changed under `making`.
// Invariants  I1  what that module makes once is made under `making`, which a thread that forks
//                 takes first: none of it is half made in a child.

import Synchronization

/// The locks of operations: who looks for circles, which operations are in flight, which queues
/// there are.
package enum ForkLocks {
  /// What is to be done.
  package enum Task: Int32 {
    /// Before a fork: to take the locks.
    case lock
    /// After it, in both processes: to leave them.
    case unlock
    /// In a child: to drop what belongs to threads that are not there.
    case forget
  }

  /// Does a task: its raw value.
  package typealias Step = @convention(c) (_ task: Int32) -> Void

  /// The function's address; 0 for none.
  static let step = Atomic<UInt>(0)

  static let making = EngineLock()

  /// Whether what that module makes once is made, or is being made.
  package static var isArranged: Bool {
    step.load(ordering: .relaxed) != 0  // order: relaxed; as in `take`.
  }

  /// Has `step` called from now on: always the same function. Makes by `body` what the module
  /// makes once; again freely.
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

  static func take(_ task: Task) {
    // order: relaxed; as in `arrange`.
    let address = step.load(ordering: .relaxed)
    // SAFETY: `arrange` stored a function of this type.
    if address != 0 { unsafeBitCast(address, to: Step.self)(task.rawValue) }
  }
}
