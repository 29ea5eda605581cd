// StoryLoopStep — the numbers of a run loop's steps that a story looks at.
//
// They are those of `LoopStep` in SignalboxRunLoop, which stands below this module: a test
// hears a loop run and finds that they agree.

enum StoryLoopStep {
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
  /// And all above: with why it ended.
  static let exit: UInt64 = 128

  /// Whether the loop tells its observers.
  static func isObserved(_ step: UInt64) -> Bool {
    [entry, beforeTimers, beforeSources, beforeWaiting, afterWaiting].contains(step)
      || step >= exit
  }

  /// Whether the loop runs something of the program's here.
  static func isWork(_ step: UInt64) -> Bool {
    [block, source, timer, port, mainQueue, perform].contains(step)
  }
}
