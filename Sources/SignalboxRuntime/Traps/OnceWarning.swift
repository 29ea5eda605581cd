// OnceWarning — a warning that a process gives at most once.

public import Synchronization

/// A warning of something that a program may repeat often: only the first time is reported.
@frozen @usableFromInline
package struct OnceWarning: ~Copyable, Sendable {
  /// Any thread sets it; one of them learns that it was the first.
  @usableFromInline let wasGiven = Relaxed(false)

  @inlinable @_transparent
  package init() {}

  /// Writes the text to standard error, unless this warning was given before.
  @inline(never)
  package func give(_ text: @autoclosure () -> String) {
    if wasGiven.setFirst() { warn(text()) }
  }
}
