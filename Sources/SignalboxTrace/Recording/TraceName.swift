// TraceName — what a number of the events stands for, with the words for it.

/// A record of the names region. A later one of the same kind and id replaces an earlier one
/// from its time on.
package struct TraceName: Sendable, Hashable {
  package enum Subject: UInt8, Sendable, CaseIterable {
    case queue = 1
    case thread = 2
    case object = 3
    case text = 4
  }

  package var subject: Subject
  package var flags: UInt8
  /// The queue's, the thread's number, the object's or the text's.
  package var id: UInt64
  /// A queue's target, 0 for none; a thread's number in the kernel.
  package var extra: UInt64
  /// Monotonic nanoseconds.
  package var when: UInt64
  package var text: String
}

/// What a queue is, as a name's flags say it.
package enum TraceQueueKind: UInt8, Sendable, CaseIterable {
  case serial = 0
  case concurrent = 1
  case main = 2
  case global = 3
  case workloop = 4
}

/// What a thread is, as a name's flags say it.
package enum TraceThreadRole: UInt8, Sendable, CaseIterable {
  case other = 0
  case main = 1
  case worker = 2
}

/// What an object is, as a name's flags say it.
package enum TraceObjectKind: UInt8, Sendable, CaseIterable {
  case other = 0
  case lock = 1
  case condition = 2
  case semaphore = 3
  case group = 4
  case timer = 5
  case source = 6
  case runLoop = 7
  case thread = 8
  case operation = 9
}
