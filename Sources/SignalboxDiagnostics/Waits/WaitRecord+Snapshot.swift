// WaitRecord+Snapshot — the current waits, for reports.

import CSignalbox
package import SignalboxRuntime
import Synchronization

extension WaitRecord {
  /// A snapshot of a wait.
  package struct Snapshot: Sendable {
    package let thread: UInt32
    package let kernelID: Int32
    package let epoch: UInt64
    package let reason: WaitReason
    package let resource: String
    /// The resource's address, to compare and not to follow.
    package let object: UInt
    /// The thread's place: "on the queue …"; empty if it has none.
    package let place: String
    /// The thread that owns the resource; 0 if none does.
    package let owner: UInt32
    package let isTimed: Bool
    package let isWorker: Bool
    package let length: WaitLength
    /// The task in which the thread waits: "task 17 "decode" (user-initiated)"; nil if it is in none.
    package let task: String?
    /// The functions on the thread's stack; empty if they were not asked for.
    package let functions: Backtrace
  }

  /// The current wait; nil if the thread does not wait.
  package var current: Snapshot? { current(withFunctions: false) }

  /// The current wait. Reading the thread's stack takes a system call for each function.
  package func current(withFunctions: Bool) -> Snapshot? {
    lock.withLock {
      guard isWaiting else { return nil }
      var owner: UInt32 = 0
      if case .thread(let number) = wait.resource.need(of: thread) { owner = number }
      return Snapshot(
        thread: thread, kernelID: kernelID,
        epoch: epoch.load(ordering: .relaxed),  // order: relaxed; written under the lock.
        reason: wait.reason, resource: wait.resource.description,
        object: UInt(bitPattern: wait.resource.object),
        place: wait.stack.flatMap { wait.resource.place?($0) } ?? "", owner: owner,
        isTimed: !wait.deadline.isNever, isWorker: isWorker,
        length: WaitLength(since: wait.since), task: WaitTask.words(of: storage),
        functions: withFunctions
          ? WaitStack.functions(from: wait.place) : Backtrace(addresses: []))
    }
  }

  /// The task that the calling thread, whose record this is, runs.
  package var ownTask: String? { WaitTask.words(of: storage) }

  /// The locks that the waiting thread holds, if they are checked.
  var heldLocks: [HeldLock] {
    lock.withLock { isWaiting ? wait.stack?.heldLocks ?? [] : [] }
  }

  /// Calls `body` with the thread's stack if the thread waits, with or without a
  /// deadline.
  package func whileWaiting<T>(_ body: (ThreadStack, _ epoch: UInt64) -> T) -> T? {
    lock.withLock {
      guard isWaiting, let stack = wait.stack else { return nil }
      // order: relaxed; written under the lock.
      return body(stack, epoch.load(ordering: .relaxed))
    }
  }
}

extension WaitRegistry {
  /// All current waits, in the order of thread numbers.
  package var waits: [WaitRecord.Snapshot] { waits(withFunctions: false) }

  package func waits(withFunctions: Bool) -> [WaitRecord.Snapshot] {
    records.compactMap { $0.current(withFunctions: withFunctions) }
      .sorted { $0.thread < $1.thread }
  }
}

extension ThreadStack {
  /// The locks that the thread holds, if they are checked.
  var heldLocks: [HeldLock] {
    // SAFETY: the thread owns the list; it waits, so the list does not change and exists.
    lockList.map { Unmanaged<HeldLocks>.fromOpaque($0)._withUnsafeGuaranteedRef(\.list) } ?? []
  }
}
