// LoopStepNumber — the numbers of the run-loop steps that a trace uses.
//
// They equal those of `LoopStep` in SignalboxRunLoop, which this module does
// not import. A test runs a loop and checks that the numbers agree.

enum LoopStepNumber {
  static let entry: UInt64 = 0
  static let beforeTimers: UInt64 = 1
  static let beforeSources: UInt64 = 2
  static let block: UInt64 = 3
  static let source: UInt64 = 4
  static let beforeWaiting: UInt64 = 6
  static let afterWaiting: UInt64 = 8
  static let timer: UInt64 = 9
  static let port: UInt64 = 10
  static let mainQueue: UInt64 = 11
  static let perform: UInt64 = 14
  /// The run ends. Numbers from here on encode the reason.
  static let exit: UInt64 = 128

  /// Whether the loop calls its observers at this step.
  static func isObserved(_ step: UInt64) -> Bool {
    [entry, beforeTimers, beforeSources, beforeWaiting, afterWaiting].contains(step)
      || step >= exit
  }

  /// Whether the loop runs the program's code at this step.
  static func isWork(_ step: UInt64) -> Bool {
    [block, source, timer, port, mainQueue, perform].contains(step)
  }
}
