// Observer — is informed of the engine's events, and cannot affect the engine.
//
// The engine's probes test a mask. If a bit of the mask is set, a probe calls the observer of the
// process. The module `SignalboxDiagnostics` installs an observer before it sets the first bit. The
// engine makes no decision from the values that the calls return, so it behaves the same with and
// without an observer.
//
// Touching    `installed`: any thread, atomically; set once.
// Ordering    OB1  install's releasing store → an acquiring load: the probe that finds an
//                  observer sees everything that the installer wrote before.
// Rejected    a class, or an existential that holds a class: each call would retain and
//                  release the object, with a counter that all threads share.

import Synchronization

/// The steps in the life of an operation. Recordings contain these numbers.
package enum OperationStep: UInt16, Sendable, CaseIterable {
  case enqueued = 0
  case ready = 1
  case started = 2
  case finished = 3
  case cancelled = 4
}

/// The calls that the probes make, on the thread on which the event happens.
///
/// An implementation must not block, and must not run the program's code with a lock held.
package protocol Observer {
  /// An event that carries only its object and a number.
  static func occurred(_ kind: EventKind, _ object: UInt, _ detail: UInt64)

  /// - Parameter isJob: whether the item is in the memory of a job, and so has no flags of its own.
  static func itemSubmitted(_ item: ItemPointer, to queue: UnsafeRawPointer, isJob: Bool)
  static func itemStarted(_ item: ItemPointer, on queue: UnsafeRawPointer)
  /// `item` is only an address to compare; its memory is already freed.
  static func itemFinished(_ item: ItemPointer, on queue: UnsafeRawPointer)

  /// A `sync` is about to block.
  ///
  /// - Returns: when `sync` was called, in uptime nanoseconds, for `syncWillEnter`. A `sync` may
  ///   run other work while it waits, so only its own frame can keep the time.
  static func syncWaits() -> UInt64
  /// A `sync` that had to wait now gets its turn.
  static func syncWillEnter(calledAt time: UInt64)
  static func syncEntered(_ queue: UnsafeRawPointer)
  static func syncLeft(_ queue: UnsafeRawPointer)

  /// - Parameter word: the futex word's address, or the descriptor, on which the thread sleeps.
  static func waitBegan(
    _ reason: WaitReason, on resource: WaitResource, word: UInt, hasDeadline: Bool)
  static func waitEnded(_ reason: WaitReason, on resource: WaitResource, hasTimedOut: Bool)
  /// The threads that sleep on this word are about to be woken.
  static func wake(_ word: UInt)
  /// - Parameter thread: the thread number of the worker that is about to be woken.
  static func workerWoken(_ worker: WorkerPointer, thread: UInt32)

  /// - Parameter byTry: whether the thread would have given up instead of waiting without
  ///   limit.
  static func lockTaken(_ lock: WaitResource, byTry: Bool)
  /// The thread is about to unlock the lock.
  static func lockLeft(_ lock: WaitResource)
  /// The lock at this address is about to be freed: its address may be reused.
  static func lockFreed(_ lock: UnsafeRawPointer)

  /// - Parameter time: when the timer was set, if it may have fired since; 0 for now.
  static func timerArmed(_ timer: TimerPointer, _ due: Deadline, at time: UInt64)
  /// - Parameter isGone: whether the address may belong to another timer from now on.
  static func timerCancelled(_ timer: TimerPointer, isGone: Bool)
  /// - Parameter lateness: in nanoseconds.
  static func timerFired(_ timer: TimerPointer, lateness: UInt64)

  static func operation(_ step: OperationStep, _ operation: UInt, _ name: String)
  static func runLoopStep(_ loop: WaitResource, _ number: UInt64)

  /// The object is about to be freed: its address may be reused.
  static func queueFreed(_ queue: UnsafeRawPointer)
  static func queueRetargeted(_ queue: UnsafeRawPointer)
  static func semaphoreFreed(_ semaphore: UnsafeRawPointer)
  static func groupFreed(_ group: UnsafeRawPointer)

  /// This thread has a new name.
  static func threadNamed()
  /// The last step of this thread.
  static func threadEnds()
}

extension Probe {
  // SAFETY: `install` initializes the memory before it stores the pointer, and never frees it.
  nonisolated(unsafe) static let installed = Atomic<UnsafePointer<any Observer.Type>?>(nil)

  @inline(__always)
  static var observer: (any Observer.Type)? {
    installed.load(ordering: .acquiring)?.pointee  // order: acquiring, OB1
  }

  /// Whether the process has an observer.
  package static var isObserved: Bool { observer != nil }

  /// Sets the observer of the process. Call it once, before the first bit of the mask is set.
  package static func install(_ observer: any Observer.Type) {
    let memory = UnsafeMutablePointer<any Observer.Type>.allocate(capacity: 1)
    memory.initialize(to: observer)
    installed.store(UnsafePointer(memory), ordering: .releasing)  // order: releasing, OB1
  }
}
