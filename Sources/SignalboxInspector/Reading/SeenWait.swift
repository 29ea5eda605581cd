// SeenWait — a thread and its wait, as they were read.

package struct SeenThread {
  /// The address of the engine's record.
  let address: UInt64
  package let number: UInt64
  /// The kernel's number in the target's own namespace.
  package let kernelID: Int32
  package let isMain: Bool
  package let isWorker: Bool
  /// The name that the engine knows; empty if there is none.
  package let name: String
  /// nil if the thread does not wait in a call of Signalbox.
  package let wait: SeenWait?
  /// Whether the thread's waits changed during every attempt.
  package let isUnsettled: Bool
  /// The job of a task or an actor that the thread runs.
  var job: SeenJob? = nil
}

package struct SeenWait {
  let epoch: UInt64
  /// The kind of wait, as it reads between "waits" and the resource.
  package let reason: String
  /// Whether the thread only waits for work.
  package let isIdle: Bool
  /// When it began, on the monotonic clock.
  package let since: UInt64
  package let object: UInt64
  package let hasDeadline: Bool
  /// Whether a thread outside the cycle may end the wait by a legal call.
  package let mayBeReleased: Bool
  /// Words for the object: "the NSLock". Empty if the engine has none.
  let title: String
  let label: Label
  let holder: Holder
  /// Whether the wait has not ended, and only other threads can end it.
  let isBlocked: Bool
  let stack: SeenStack
  /// Where the thread waits; nil if the engine does not say.
  var place: Place? = nil

  /// Registers that are right as long as the epoch is the same.
  struct Place {
    let registers: StackRegisters
    let epochAddress: UInt64
  }

  enum Label {
    case none, whole
    /// The name of the holder stands for the object, as for a thread that is joined.
    case holder
    case text(String)
  }

  enum Holder: Equatable {
    case nobody
    case thread(UInt64)
    /// The thread that writes, unless it has let the waiting reader in.
    case writer(UInt64)
    case queue
    case workers
    case readers
  }
}

/// What a waiting thread holds, according to its stack.
struct SeenStack {
  /// The queues that the thread is on, the innermost first: the addresses of the objects.
  var queues: [UInt64] = []
  /// The objects that count the work which the thread runs.
  var works: [UInt64] = []
  /// The operations in whose `start()` the thread is. Another thread may finish them.
  var startedWorks: [UInt64] = []
  /// Queues that the thread holds without being on them.
  var heldQueues: [UInt64] = []
  /// The locks that the thread holds for reading.
  var readLocks: Set<UInt64> = []
  /// The locks that the thread waits to read under, and has not been let in.
  var awaitedReadLocks: Set<UInt64> = []
}
