// RecordedEvent — one thing that a thread did, as the recording tells it.

struct RecordedEvent: Sendable, Hashable {
  /// At one and the same time what makes something possible comes first.
  enum Kind: String, Sendable, CaseIterable {
    case submits, calls, finishes, marks, waits, goesOn, starts, tells, works
  }

  /// Nanoseconds from the recording's start.
  var time: Int
  /// Its place in the run's threads.
  var thread: Int
  var kind: Kind
  /// An item's name, a mark's text, what is waited for, a run loop's step.
  var subject: String

  /// In words, without the thread.
  var words: String {
    switch kind {
    case .submits: "submits “\(subject)”"
    case .calls: "calls sync with “\(subject)”"
    case .starts: "starts “\(subject)”"
    case .finishes: "finishes “\(subject)”"
    case .marks: "is at “\(subject)”"
    case .waits: "waits \(subject)"
    case .goesOn: "goes on; it waited \(subject)"
    case .tells: "tells the observers: \(subject)"
    case .works: "does work of the run loop: \(subject)"
    }
  }
}

/// The steps of a run loop that a recording numbers.
enum LoopStep: Int, Sendable, CaseIterable {
  case entry = 0, beforeTimers = 1, beforeSources = 2, block = 3, source = 4, beforeWaiting = 6
  case afterWaiting = 8, timer = 9, port = 10, mainQueue = 11, perform = 14

  /// Whether the loop tells its observers here; otherwise it works.
  var isTold: Bool {
    [.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting].contains(self)
  }

  var words: String {
    switch self {
    case .entry: "the loop is entered"
    case .beforeTimers: "timers are about to fire"
    case .beforeSources: "sources are about to fire"
    case .block: "a block"
    case .source: "a source"
    case .beforeWaiting: "about to sleep"
    case .afterWaiting: "woken up"
    case .timer: "a timer"
    case .port: "a port"
    case .mainQueue: "the main queue"
    case .perform: "a perform"
    }
  }
}
