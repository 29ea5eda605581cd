// LoopTrial — what the suites on run loops share: sources and observers that log what happens to
// them, and a thread whose loop runs.

import SignalboxRunLoop
import SignalboxTestSupport

/// Runs the body on a new thread with an unused loop.
func onFreshLoop<Result: Sendable>(
  file: StaticString = #fileID, line: UInt = #line,
  _ body: @escaping @Sendable (CFRunLoop) throws -> Result
) throws -> Result {
  try onPlainThread(file: file, line: line) { try body(CFRunLoopGetCurrent()) }
}

/// So many seconds that no test waits until they have passed.
let forEver: CFTimeInterval = 1e10

extension CFRunLoopMode {
  static let own = CFRunLoopMode("conformance")
  static let other = CFRunLoopMode("conformance.other")
  static let eventTracking = CFRunLoopMode(RunLoop.Mode.eventTracking)
  static let modalPanel = CFRunLoopMode(RunLoop.Mode.modalPanel)
}

/// A log of words.
typealias TrialLog = EventLog<String>

/// Makes a source of version 0 that logs "schedule NAME MODE", "perform NAME" and "cancel NAME
/// MODE".
func makeNotingSource(
  _ name: String, _ log: TrialLog, order: CFIndex = 0,
  perform: @escaping @Sendable () -> Void = {}
) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  context.schedule = { _, _, mode in log.append("schedule \(name) \(mode!.rawValue)") }
  context.cancel = { _, _, mode in log.append("cancel \(name) \(mode!.rawValue)") }
  context.perform = { _ in
    log.append("perform \(name)")
    perform()
  }
  return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context)
}

/// Makes a source that only gives a loop something to wait for.
func makeKeeper() -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  return CFRunLoopSourceCreate(kCFAllocatorDefault, 100, &context)
}

extension TrialLog {
  /// Only the performed sources: "a", "b".
  var performed: [String] {
    all.filter { $0.hasPrefix("perform ") }.map { String($0.dropFirst("perform ".count)) }
  }
}

extension CFRunLoopActivity {
  var name: String {
    switch self {
    case .entry: "entry"
    case .beforeTimers: "beforeTimers"
    case .beforeSources: "beforeSources"
    case .beforeWaiting: "beforeWaiting"
    case .afterWaiting: "afterWaiting"
    case .exit: "exit"
    default: "\(rawValue)"
    }
  }
}

/// Makes an observer that logs the names of activities.
func makeNotingObserver(
  of activities: CFRunLoopActivity = .allActivities, repeats: Bool = true, order: CFIndex = 0,
  _ note: @escaping (String) -> Void
) -> CFRunLoopObserver {
  CFRunLoopObserverCreateWithHandler(
    kCFAllocatorDefault, activities.rawValue, repeats, order
  ) { _, activity in note(activity.name) }
}

/// Waits until the loop's thread sleeps in the loop.
func waitUntilSleeping(
  _ loop: CFRunLoop, file: StaticString = #fileID, line: UInt = #line
) throws {
  let end = Uptime.now() + RealTime.wedge
  while !CFRunLoopIsWaiting(loop) {
    if Uptime.now() > end { throw Wedge.found("a loop that sleeps", file: file, line: line) }
    letRealTimePass(.milliseconds(1))
  }
}

/// A thread whose loop runs in one mode until it is stopped.
final class RunningLoop: @unchecked Sendable {
  // SAFETY: `loop` is written before the gate opens; `thread` is written by the creator.
  private(set) var loop: CFRunLoop!
  private var thread: PlainThread!
  private let results = EventLog<CFRunLoopRunResult>()

  /// - Parameter prepare: Called on the thread before it runs its loop.
  init(
    _ mode: CFRunLoopMode = .defaultMode,
    prepare: @escaping @Sendable (CFRunLoop) -> Void = { _ in }
  ) throws {
    let isThere = Gate("a loop to run")
    thread = try PlainThread { [unowned self] in
      loop = CFRunLoopGetCurrent()
      CFRunLoopAddSource(loop, makeKeeper(), mode)
      prepare(loop)
      isThere.open()
      results.append(CFRunLoopRunInMode(mode, forEver, false))
    }
    try isThere.wait()
    try waitUntilSleeping(loop)
  }

  /// Stops the loop.
  ///
  /// - Returns: The result of the run.
  @discardableResult
  func end() throws -> CFRunLoopRunResult {
    CFRunLoopStop(loop)
    return try join()
  }

  /// Waits until the run has ended by itself.
  func join() throws -> CFRunLoopRunResult {
    try thread.join()
    return results.all[0]
  }
}
