// LoopStep — a step of a loop, as a probe's number and in words.

enum LoopStep: Equatable {
  case entry, beforeTimers, beforeSources, block, source, inputIsReady, beforeWaiting, asleep
  case afterWaiting, timer, port, mainQueue, wokenUp, late, perform
  case exit(CFRunLoopRunResult)

  /// The activity whose observers the loop calls at this step.
  var activity: CFRunLoopActivity? {
    switch self {
    case .entry: .entry
    case .beforeTimers: .beforeTimers
    case .beforeSources: .beforeSources
    case .beforeWaiting: .beforeWaiting
    case .afterWaiting: .afterWaiting
    case .exit: .exit
    default: nil
    }
  }

  // MARK: As a number

  static let plain: [LoopStep] = [
    .entry, .beforeTimers, .beforeSources, .block, .source, .inputIsReady, .beforeWaiting,
    .asleep, .afterWaiting, .timer, .port, .mainQueue, .wokenUp, .late, .perform,
  ]

  /// A number below 256 for a probe's detail and for `lastStep`. If the compiler knows the
  /// step, it also knows the number. A test compares the numbers with `plain`.
  @inline(__always)
  var number: UInt64 {
    switch self {
    case .entry: 0
    case .beforeTimers: 1
    case .beforeSources: 2
    case .block: 3
    case .source: 4
    case .inputIsReady: 5
    case .beforeWaiting: 6
    case .asleep: 7
    case .afterWaiting: 8
    case .timer: 9
    case .port: 10
    case .mainQueue: 11
    case .wokenUp: 12
    case .late: 13
    case .perform: 14
    case .exit(let result): 128 + UInt64(result.rawValue)
    }
  }

  init?(number: UInt64) {
    if number >= 128 {
      guard let result = CFRunLoopRunResult(rawValue: Int32(number - 128)) else { return nil }
      self = .exit(result)
    } else {
      guard number < LoopStep.plain.count else { return nil }
      self = LoopStep.plain[Int(number)]
    }
  }

  // MARK: In words

  /// The number of the step in Apple's list, and what happens in this step.
  var words: String {
    switch self {
    case .entry: "1 the run loop is entered"
    case .beforeTimers: "2 timers are about to fire"
    case .beforeSources: "3 sources are about to fire"
    case .block: "4 a block is performed"
    case .source: "4 a source is performed"
    case .perform: "4 a perform for the thread is done"
    case .inputIsReady: "5 a port is ready"
    case .beforeWaiting: "6 the thread is about to sleep"
    case .asleep: "7 the thread sleeps"
    case .afterWaiting: "8 the thread woke up"
    case .timer: "9 a timer fires"
    case .port: "9 a port is handled"
    case .mainQueue: "9 the main queue is served"
    case .wokenUp: "7 the run loop was woken"
    case .late: "7 the time is over"
    case .exit(let result): "10 the run loop is left: \(LoopStep.words(result))"
    }
  }

  private static func words(_ result: CFRunLoopRunResult) -> String {
    switch result {
    case .finished: "finished"
    case .stopped: "stopped"
    case .timedOut: "timed out"
    case .handledSource: "handled a source"
    }
  }
}
