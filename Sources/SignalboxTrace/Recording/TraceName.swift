// TraceName — the name of a number that events use.

package import SignalboxDiagnostics

/// A record in the names region. From its time on, it replaces an earlier
/// record of the same kind and id.
package struct TraceName: Sendable, Hashable {
  package typealias Subject = TraceSubject

  package var subject: Subject
  package var flags: UInt8
  /// The kind of the named thing: a queue's kind, a thread's role or an
  /// object's kind.
  package var kind: UInt8 { subject == .object ? flags & ~TraceLayout.describedFlag : flags }
  /// Whether the text describes an object, with its name in quotes.
  package var isDescription: Bool {
    subject == .object && flags & TraceLayout.describedFlag != 0
  }
  /// The number of the queue, thread, object or text.
  package var id: UInt64
  /// A queue's target, or 0 for none; a thread's number in the kernel.
  package var extra: UInt64
  /// In monotonic nanoseconds.
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
