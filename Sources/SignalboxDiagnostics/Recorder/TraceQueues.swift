// TraceQueues — the number of a queue in recordings.
//
// The number is stored in the queue itself, because another queue may soon
// reuse its address. A queue gets a number at its first recorded event, and a
// new one in each later recording, which must contain its name.
// `csb_trace_session` tells which numbers are older than the recording.
//
// Touching    a queue's word: any thread, atomically; changed under the
//             recorder's lock. `facts`, `holdsAlone`, `isDrainTask`: written
//             while the first queue is created, before another thread can know
//             it.

import CSignalbox
import SignalboxRuntime
import Synchronization

/// What a recording says about a queue.
package struct TraceQueueFacts {
  package let label: String
  package let kind: TraceQueueKind
  /// The address of its target; nil if the program gave it none.
  package let target: UnsafeRawPointer?

  package init(label: String, kind: TraceQueueKind, target: UnsafeRawPointer?) {
    self.label = label
    self.kind = kind
    self.target = target
  }
}

/// A queue's number in recordings; 0 before it has one.
///
/// The highest bit is set if the recording excludes the queue.
package struct TraceQueueNumber: ~Copyable {
  let word = Atomic<UInt32>(0)

  package init() {}

  static var leftOut: UInt32 { 1 << 31 }
}

package enum TraceQueues {
  package typealias Facts = @Sendable (UnsafeRawPointer) -> TraceQueueFacts
  /// A C function, because each `sync` calls it and it needs no retain and
  /// release.
  package typealias HoldsAlone = @convention(c) @Sendable (UnsafeRawPointer) -> Bool
  package typealias IsDrainTask = @convention(c) @Sendable (UnsafeMutableRawPointer) -> Bool

  // SAFETY: see Touching.
  nonisolated(unsafe) static var facts: Facts = { _ in
    internalBug("a queue was recorded before there was one.")
  }
  /// Whether this thread holds a concurrent queue exclusively.
  // SAFETY: see Touching.
  nonisolated(unsafe) static var holdsAlone: HoldsAlone = { _ in false }

  /// Whether an item that is about to run is a request to drain another queue
  /// rather than work. The item's flags alone don't tell: a job's flag bits
  /// belong to its own record.
  // SAFETY: see Touching.
  nonisolated(unsafe) static var isDrainTask: IsDrainTask = { _ in false }

  /// Installs the functions that inspect queues. Call once, while the first
  /// queue is created.
  package static func arrange(
    facts: @escaping Facts, holdsAlone: HoldsAlone, isDrainTask: IsDrainTask
  ) {
    TraceQueues.facts = facts
    TraceQueues.holdsAlone = holdsAlone
    TraceQueues.isDrainTask = isDrainTask
  }

  /// Stores the offset of the number in a queue. Call while a queue is created.
  package static func store(
    _ number: borrowing TraceQueueNumber, in queue: UnsafeRawPointer
  ) {
    csb_trace_queue_offset_store(UInt32(wordAddress(number.word) - queue))
  }

  /// - Returns: nil if the recording excludes the queue.
  @inline(__always)
  static func number(of queue: UnsafeRawPointer, in session: TraceSession) -> UInt64? {
    // order: relaxed; the queue's name was written before, under the lock that
    // a copier takes. A number from a recording other than `session` is
    // either older than `session`, or its event is not written to any recording.
    let known = word(of: queue).pointee.load(ordering: .relaxed)
    let isNamed = known & ~TraceQueueNumber.leftOut > session.lastOldQueue
    let number = isNamed ? known : TraceCapture.shared.admit(queue)
    return number & TraceQueueNumber.leftOut == 0 ? UInt64(number) : nil
  }

  @inline(__always)
  static func word(of queue: UnsafeRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    let address = queue + Int(csb_trace_queue_offset_load())
    // SAFETY: the address of the queue's `TraceQueueNumber`, whose offset
    // `store` stored.
    return UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}
