// TraceQueues — which number a queue has in recordings.
//
// The number stands in the queue itself, as an address is soon another queue's. It is given
// at the queue's first recorded event, and once more in each later recording, which must
// have the name: `csb_trace_session` says which numbers are older than the recording.
//
// Touching    a queue's word: any thread, atomically; changed under the recorder's lock.
//             `facts`: written while the first queue is made, before anybody knows one.

import CSignalbox
import Synchronization

/// What a recording says of a queue.
package struct TraceQueueFacts {
  package let label: String
  package let kind: TraceQueueKind
  /// The address of its target; nil if it has none that was given.
  package let target: UnsafeRawPointer?

  package init(label: String, kind: TraceQueueKind, target: UnsafeRawPointer?) {
    self.label = label
    self.kind = kind
    self.target = target
  }
}

/// A queue's number in recordings: 0 before it has one.
///
/// The highest bit says that the recording is not to have the queue.
package struct TraceQueueNumber: ~Copyable {
  let word = Atomic<UInt32>(0)

  package init() {}

  static var leftOut: UInt32 { 1 << 31 }
}

package enum TraceQueues {
  package typealias Facts = @Sendable (UnsafeRawPointer) -> TraceQueueFacts
  /// A C function, which needs no retain and release: it is asked at each `sync`.
  package typealias HoldsAlone = @convention(c) @Sendable (UnsafeRawPointer) -> Bool
  package typealias IsInvitation = @convention(c) @Sendable (UnsafeMutableRawPointer) -> Bool

  // SAFETY: see Touching.
  nonisolated(unsafe) static var facts: Facts = { _ in
    internalBug("a queue was recorded before there was one.")
  }
  /// Whether this thread holds a concurrent queue alone.
  // SAFETY: see Touching.
  nonisolated(unsafe) static var holdsAlone: HoldsAlone = { _ in false }

  /// Whether an item that is about to run is no work, but another queue that asks to be served.
  /// Its flags alone do not tell: those of a job are its own record's.
  // SAFETY: see Touching.
  nonisolated(unsafe) static var isInvitation: IsInvitation = { _ in false }

  /// Says how queues are to be asked. Once, while the first one is made.
  package static func arrange(
    facts: @escaping Facts, holdsAlone: HoldsAlone, isInvitation: IsInvitation
  ) {
    TraceQueues.facts = facts
    TraceQueues.holdsAlone = holdsAlone
    TraceQueues.isInvitation = isInvitation
  }

  /// Says where in a queue its number stands. While a queue is made.
  package static func place(
    _ number: borrowing TraceQueueNumber, in queue: UnsafeRawPointer
  ) {
    csb_trace_queue_offset_store(UInt32(wordAddress(number.word) - queue))
  }

  /// - Returns: nil if the queue is left out.
  @inline(__always)
  static func number(of queue: UnsafeRawPointer, in session: TraceSession) -> UInt64? {
    // order: relaxed; its name was written before, under the lock that who copies takes. One that
    // is of another recording than `session` is older than that, or its step is written into none.
    let known = word(of: queue).pointee.load(ordering: .relaxed)
    let isNamed = known & ~TraceQueueNumber.leftOut > session.lastOldQueue
    let number = isNamed ? known : TraceCapture.shared.admit(queue)
    return number & TraceQueueNumber.leftOut == 0 ? UInt64(number) : nil
  }

  @inline(__always)
  static func word(of queue: UnsafeRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    let place = queue + Int(csb_trace_queue_offset_load())
    // SAFETY: the queue's `TraceQueueNumber`, as `arrange` was told.
    return UnsafeMutableRawPointer(mutating: place).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}
