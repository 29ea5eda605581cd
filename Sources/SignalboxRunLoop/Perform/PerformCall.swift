// PerformCall — a thread's wait until another thread's loop has performed its block.
//
//   state        meaning                                          next change by
//   waiting      the block is in the loop's list                  the loop, or the waiter
//   unattended   the same, and the loop's run has ended           the waiter, or the loop
//   running      the loop's thread runs the block                 the loop
//   done         the block has run                                –
//   ended        the thread has ended and will not run the block  –
//   withdrawn    the waiter gave up: the block never runs         –
//
// A loop that does not run may soon run again, because programs often run one repeatedly. So the
// waiter gives it some time, counted from the moment at which it was last seen running.
//
// Touching    `word`: any thread, atomically.
// Ordering    PC1  `finish`'s releasing store → the waiter's acquiring load: the waiter sees
//                  what the block did. All other changes of the word only decide who may run
//                  the block, and the loop's lock hands the block over.
// Invariants  I1  the block runs if and only if the word reached `running`.

import SignalboxRuntime
import Synchronization

final class PerformCall: Sendable {
  private enum State {
    static var waiting: UInt32 { 0 }
    static var unattended: UInt32 { 1 }
    static var running: UInt32 { 2 }
    static var done: UInt32 { 3 }
    static var ended: UInt32 { 4 }
    static var withdrawn: UInt32 { 5 }
  }

  private let word = Atomic<UInt32>(0)

  /// How long a loop may pause between two runs, in nanoseconds: much longer than starting a thread
  /// or iterating a loop takes, and short enough to wait for an error.
  private static var moment: UInt64 { 1_000_000_000 }

  // MARK: The loop's thread

  /// - Returns: whether the block may run.
  func begin() -> Bool {
    change(to: State.running) { $0 == State.waiting || $0 == State.unattended }
  }

  func finish() {
    word.store(State.done, ordering: .releasing)  // order: releasing, PC1
    Parking.wake(wordAddress(word))
  }

  /// Records that the thread ends, possibly inside the block, by `Thread.exit()`.
  func end() {
    let hasChanged = change(to: State.ended) {
      $0 != State.done && $0 != State.withdrawn
    }
    if hasChanged { Parking.wake(wordAddress(word)) }
  }

  /// Records that the loop's run has ended.
  func noteUnattended() {
    if change(to: State.unattended, from: { $0 == State.waiting }) {
      Parking.wake(wordAddress(word))
    }
  }

  private func change(to new: UInt32, from isFit: (UInt32) -> Bool) -> Bool {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while isFit(old) {
      let (done, seen) = word.compareExchange(
        expected: old, desired: new, ordering: .relaxed)  // order: relaxed; see Ordering.
      if done { return true }
      old = seen
    }
    return false
  }

  // MARK: The waiter

  /// Waits until the block has run. The block must be in the loop's list.
  func wait(for loop: CFRunLoop) throws(PerformError) {
    var lastRun = loop.runsSeen
    while true {
      _ = change(to: State.waiting) { $0 == State.unattended }
      let seen = loop.runsSeen
      let deadline: Deadline =
        seen.isRunning ? .never : Deadline(.uptime, Clock.uptime.now + PerformCall.moment)
      let outcome = Parking.wait(
        while: wordAddress(word), is: State.waiting, until: deadline, for: .perform,
        on: loop.resource)
      switch word.load(ordering: .acquiring) {  // order: acquiring, PC1
      case State.done: return
      case State.ended: throw .threadEnded
      case State.waiting where outcome == .timedOut:
        let now = loop.runsSeen
        if now.isRunning || now.count != lastRun.count {
          lastRun = now
        } else if change(to: State.withdrawn, from: { $0 <= State.unattended }) {
          throw .noRunningLoop
        }
      case State.running: waitForEnd(of: loop)
      default: break
      }
    }
  }

  /// Waits while the block runs.
  private func waitForEnd(of loop: CFRunLoop) {
    _ = Parking.wait(
      while: wordAddress(word), is: State.running, until: .never, for: .perform,
      on: loop.resource)
  }
}

extension CFRunLoop {
  /// Whether the loop runs, and how many runs have begun. Call from any thread.
  fileprivate var runsSeen: (isRunning: Bool, count: Int) {
    lock.withLock { (!runs.isEmpty, runsBegun) }
  }

  /// The resource of a thread that waits for the loop to perform its block.
  fileprivate var resource: WaitResource {
    // SAFETY: the waiting thread holds a reference to the loop.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { CFRunLoop.at($0).words },
      need: { raw, _ in
        let thread = CFRunLoop.at(raw).thread
        return thread == 0 ? .nobody : .thread(thread)
      }, view: OutsideView("the run loop", holder: thread == 0 ? .nobody : .thread(thread)))
  }

  private static func at(_ raw: UnsafeRawPointer) -> CFRunLoop {
    // SAFETY: see `resource`.
    Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
  }
}
