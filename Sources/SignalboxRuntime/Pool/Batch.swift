// Batch — what a worker found when it polled last, and has not done with.
//
// Touching    its worker only.

struct Batch {
  private var events = 0
  private var began: UInt64 = 0
  /// Whether the worker keeps what it found to itself, and is to come back to the poller's
  /// role.
  private(set) var keepsRole = false

  /// How long a worker may be with a batch, in nanoseconds, before it looks what else has
  /// come.
  private static let longest: UInt64 = 100_000

  /// None.
  init() {}

  init(of events: Int, keepsRole: Bool) {
    self.events = events
    began = Clock.uptime.now
    self.keepsRole = keepsRole
  }

  func isOver(_ now: UInt64) -> Bool { now >= began + Batch.longest }

  /// It is done with, as far as its worker could.
  func tell(_ pace: borrowing HandlerPace, _ now: UInt64) {
    if events > 0 { pace.note(now - began, for: events) }
  }
}
