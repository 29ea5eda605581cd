// TraceName — what a number of the events stands for, with the words for it.

package import SignalboxRuntime

/// A record of the names region. A later one of the same kind and id replaces an earlier one
/// from its time on.
package struct TraceName: Sendable, Hashable {
  package typealias Subject = TraceSubject

  package var subject: Subject
  package var flags: UInt8
  /// What it is a name of: a queue's kind, a thread's role, an object's kind.
  package var kind: UInt8 { subject == .object ? flags & ~TraceLayout.describedFlag : flags }
  /// Whether an object's name says what the object is.
  package var isDescription: Bool {
    subject == .object && flags & TraceLayout.describedFlag != 0
  }
  /// The queue's, the thread's number, the object's or the text's.
  package var id: UInt64
  /// A queue's target, 0 for none; a thread's number in the kernel.
  package var extra: UInt64
  /// Monotonic nanoseconds.
  package var when: UInt64
  package var text: String

  package init(
    subject: Subject, flags: UInt8, id: UInt64, extra: UInt64, when: UInt64, text: String
  ) {
    self.subject = subject
    self.flags = flags
    self.id = id
    self.extra = extra
    self.when = when
    self.text = text
  }
}
