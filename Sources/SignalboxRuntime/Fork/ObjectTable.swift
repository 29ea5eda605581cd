// ObjectTable — what the engine tells the table of locked objects, which a module above
// this one keeps: that the process forks, that a thread ends.
//
// Touching    `step`: any thread, atomically; changed under `making`.
// Invariants  I1  what the table's module makes once is made under `making`, which a thread that
//                 forks takes first: none of it is half made in a child.

import Synchronization

package enum ObjectTable {
  /// What is to be done: one of the numbers below.
  package typealias Step = @convention(c) (_ what: Int32) -> Void

  /// Before a fork: to take the table's locks.
  package static var lock: Int32 { 0 }
  /// After it, in both processes: to leave them.
  package static var unlock: Int32 { 1 }
  /// In a child: to drop what belongs to threads that are not there.
  package static var forget: Int32 { 2 }
  /// At the end of the calling thread: to drop what it keeps.
  package static var endThread: Int32 { 3 }

  /// The function's address; 0 for none.
  static let step = Atomic<UInt>(0)

  static let making = EngineLock()

  /// Whether what that module makes once is made, or is being made.
  package static var isArranged: Bool {
    step.load(ordering: .relaxed) != 0  // order: relaxed; as in `take`.
  }

  /// Has `step` called from now on: always the same function. Makes by `body` what that module
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
    take(lock)
  }

  static func unlockAfterFork() {
    take(unlock)
    making.unlock()
  }

  static func take(_ what: Int32) {
    // order: relaxed; as in `arrange`.
    let address = step.load(ordering: .relaxed)
    // SAFETY: `arrange` stored a function of this type.
    if address != 0 { unsafeBitCast(address, to: Step.self)(what) }
  }
}
