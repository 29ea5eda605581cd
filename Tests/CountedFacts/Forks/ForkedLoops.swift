// ForkedLoops — forks while another thread creates the values that run loops, or locks of
// objects, create once.
//
// If the outcome depends on chance, each attempt runs in a process that has not used the library
// yet: a child of this program, which does not use it itself. Two threads start there, and one
// of them forks. Both are new, because the Swift runtime records waiting threads by number, and
// would take the number of the parent's thread for that of the child's first thread.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRunLoop
import SignalboxRuntime

package enum ForkedLoopScenario: String, CountedScenario {
  case forkWaitsForOneTimeInitialization = "fork-waits-for-what-loops-make-once"
  case forkWhileTheFirstQueueIsMade = "fork-while-the-first-queue-is-made"
  case forkWhileTheFirstLoopIsMade = "fork-while-the-first-loop-is-made"
  case forkWhileTheFirstSourceIsMade = "fork-while-the-first-source-is-made"
  case forkWhileTheFirstTraceIsSet = "fork-while-the-first-trace-is-set"
  case forkWhileTheFirstObjectIsLocked = "fork-while-the-first-object-is-locked"
}

extension ForkedLoopScenario: Scenario {
  func run() {
    switch self {
    case .forkWaitsForOneTimeInitialization:
      startThread {
        joinWithoutLocks(.loops) {
          Making.begun.increment()
          sleepInKernel(milliseconds: 200)
          Making.made.increment()
        }
      }
      while Making.begun.count == 0 { sched_yield() }
      reportChild("child") {
        // No thread waits for a thread that does not exist here.
        if Making.made.count != 1 { _exit(3) }
        joinWithoutLocks(.operations) { Making.made.increment() }
        if Making.made.count != 2 { _exit(4) }
      }
    case .forkWhileTheFirstQueueIsMade:
      // Another thread creates it from beginning to end while the fork is in progress.
      let prepare: Fork.Step = {
        startThread {
          _ = DispatchQueue(label: "the first")
          Making.firstQueue.increment()
        }
        let end = milliseconds() + 20_000
        while Making.firstQueue.count == 0 && milliseconds() < end { sched_yield() }
      }
      Fork.join(.loops, prepare: prepare, release: {}) { report("before", Making.firstQueue.count) }
      reportChild("child") {
        // If the fork had to wait for the creation, its child would wait for it too.
        DispatchQueue(label: "the child's").sync {}
      }
      report("made", Making.firstQueue.count)
    case .forkWhileTheFirstLoopIsMade:
      tryForks { _ = CFRunLoopGetCurrent() }
    case .forkWhileTheFirstSourceIsMade:
      tryForks { _ = source() }
    case .forkWhileTheFirstTraceIsSet:
      tryForks { RunLoop.trace = { _ in } }
    case .forkWhileTheFirstObjectIsLocked:
      let object = Tally()
      tryForks {
        objc_sync_enter(object)
        objc_sync_exit(object)
      }
    }
  }
}

/// The counts of functions that cannot have a context.
private enum Making {
  static let begun = Tally()
  static let made = Tally()
  static let firstQueue = Tally()
}

private func joinWithoutLocks(_ part: ForkOrder, making make: Fork.Step) {
  Fork.join(part, prepare: {}, release: {}, making: make)
}

private func source() -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
}

/// Reports how many attempts went well, and how the others ended. Arguments: the number of
/// attempts; 1 if the child does the same as the other thread, where it may have to wait for
/// the Swift runtime; 1 to inspect an attempt that hangs.
private func tryForks(_ first: @escaping @Sendable () -> Void) {
  let childActs = integerArgument(1, default: 0) == 1
  var well = 0
  for attempt in 0..<integerArgument(0, default: 100) {
    let child = csc_fork()
    if child == 0 {
      startThread { forkBeside(first, childActs: childActs) }
      while true { sleepInKernel(seconds: 1000) }
    }
    let status = csc_wait(child)
    if status == 0 { well += 1 } else { report("attempt\(attempt)", status) }
  }
  report("well", well)
}

/// Forks in a process that has not used the library, and ends the process.
private func forkBeside(_ first: @escaping @Sendable () -> Void, childActs: Bool) -> Never {
  let begun = Tally()
  var random = SystemRandomNumberGenerator()
  let lead = Int.random(in: 0..<20_000, using: &random)
  let wait = Int.random(in: 0..<20_000, using: &random)
  startThread {
    begun.increment()
    for _ in 0..<lead { _ = begun.count }
    first()
    while true { sleepInKernel(seconds: 1000) }
  }
  while begun.count == 0 { sched_yield() }
  for _ in 0..<wait { _ = begun.count }
  let child = csc_fork()
  if child == 0 {
    if childActs { first() }
    _exit(0)
  }
  _exit(status(of: child))
}

/// - Returns: The status, or 99 if the child does not end.
private func status(of child: pid_t) -> Int32 {
  let end = milliseconds() + eventTimeout
  var status: Int32 = 0
  while waitpid(child, &status, WNOHANG) == 0 {
    if milliseconds() > end {
      if integerArgument(2, default: 0) == 1 {
        report("hangs", child)
        while true { sleepInKernel(seconds: 1000) }
      }
      kill(child, SIGKILL)
      return 99
    }
    sleepInKernel(milliseconds: 1)
  }
  return status & 0x7F == 0 ? status >> 8 & 0xFF : 64 + status & 0x7F
}
