// Batch — the events that a worker found when it last polled, until it has handled them.
//
// Touching    its worker only.

struct Batch {
  private var events = 0
  private var began: UInt64 = 0
  /// Whether the worker keeps the poller's role, wakes no other worker for what it found,
  /// and returns to the role.
  private(set) var keepsRole = false

  /// How long a worker may work on a batch before it looks for new events, in
  /// nanoseconds.
  private static let longest: UInt64 = 100_000

  /// Creates an empty batch.
  init() {}

  init(of events: Int, keepsRole: Bool) {
    self.events = events
    began = Clock.uptime.now
    self.keepsRole = keepsRole
  }

  func isOver(_ now: UInt64) -> Bool { now >= began + Batch.longest }

  /// Records how long this worker took to run the batch.
  func tell(_ pace: borrowing HandlerPace, _ now: UInt64) {
    if events > 0 { pace.note(now.saturatingSubtract(began), for: events) }
  }
}
