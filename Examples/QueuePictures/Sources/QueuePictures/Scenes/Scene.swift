// Scene — something of the documents that is run under the recorder, and its steps.

/// A walk-through or a figure.
struct Scene: Sendable {
  /// Also the name of its files.
  let name: String
  let title: String
  /// Where it stands in the documents, and what differs here.
  let source: String
  let steps: [Step]
  /// The marks between which an item is at work, for items that wait in between.
  var pieces: [(from: String, to: String)] = []
  /// Whether an item that is drawn in pieces tells how often its thread has left the processor.
  var tellsSwitches = true
  /// Whether the process is to have one processor.
  var needsOneProcessor = false
  /// Sets it going, on the main thread. The last thing it does is to call `end` there, when all
  /// that it has begun is over.
  let perform: @Sendable (_ end: @escaping @Sendable () -> Void) -> Void

  static let all: [Scene] = [
    .syncInEight, .syncInSix, .asyncInSeven, .asyncInSix, .concurrency, .parallelism, .serial,
    .concurrent, .barrier, .runLoop, .classes, .wanted, .lockHeld, .lockLeft,
    .livelock, .livelockMended,
  ]
}
