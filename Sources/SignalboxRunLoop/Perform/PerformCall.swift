// PerformCall — a thread that waits until another one's loop has performed its block.
//
//   state        means                                        goes on by
//   waiting      it stands in the loop's list                 the loop, or the waiter
//   unattended   the same, and the loop's run has ended       the waiter, or the loop
//   running      the loop's thread runs it                    the loop
//   done         it has run                                   –
//   ended        the thread has ended and will not run it     –
//   withdrawn    the waiter waits no more: it never runs      –
//
// A loop that does not run may be about to: programs run one again and again. So the waiter
// gives it a moment, counted from when it was last seen to run.
//
// Touching    `word`: any thread, atomically.
// Ordering    PC1  `finish`'s releasing store → the waiter's acquiring load: it sees what the
//                  block did. All else that changes the word says only who may run the
//                  block, which the loop's lock hands over.
// Invariants  I1  the block runs exactly if the word came to `running`.

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

  /// How long a loop may be between two runs, in nanoseconds: long beside what a thread
  /// needs to start or to go round, and short beside for ever.
  private static var moment: UInt64 { 1_000_000_000 }

  // MARK: The loop's thread

  /// - Returns: whether the block is to run.
  func begin() -> Bool {
    change(to: State.running) { $0 == State.waiting || $0 == State.unattended }
  }

  func finish() {
    word.store(State.done, ordering: .releasing)  // order: releasing, PC1
    WaitingDoor.wake(wordAddress(word))
  }

  /// The thread ends; it may have left the block by `Thread.exit()`.
  func end() {
    let hasChanged = change(to: State.ended) {
      $0 != State.done && $0 != State.withdrawn
    }
    if hasChanged { WaitingDoor.wake(wordAddress(word)) }
  }

  /// The loop runs no more for now.
  func noteUnattended() {
    if change(to: State.unattended, from: { $0 == State.waiting }) {
      WaitingDoor.wake(wordAddress(word))
    }
  }

  private func change(to new: UInt32, from isFit: (UInt32) -> Bool) -> Bool {
    // order: relaxed; the compare-and-swap decides.
    var old = word.load(ordering: .relaxed)
    while isFit(old) {
      let (done, seen) = word.compareExchange(
        expected: old, desired: new, ordering: .relaxed)  // order: relaxed; as above.
      if done { return true }
      old = seen
    }
    return false
  }

  // MARK: The waiter

  /// Waits until the block has run. It stands in the loop's lists.
  func wait(for loop: CFRunLoop) throws(PerformError) {
    var lastRun = loop.runsSeen
    while true {
      _ = change(to: State.waiting) { $0 == State.unattended }
      let seen = loop.runsSeen
      let deadline: Deadline =
        seen.isRunning ? .never : Deadline(.uptime, Clock.uptime.now + PerformCall.moment)
      let outcome = WaitingDoor.wait(
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

  /// While the block runs.
  private func waitForEnd(of loop: CFRunLoop) {
    _ = WaitingDoor.wait(
      while: wordAddress(word), is: State.running, until: .never, for: .perform,
      on: loop.resource)
  }
}

extension CFRunLoop {
  /// Whether it runs, and how often it has begun to. Any thread.
  fileprivate var runsSeen: (isRunning: Bool, count: Int) {
    lock.withLock { (!runs.isEmpty, runsBegun) }
  }

  /// What a thread waits for that has something performed here.
  fileprivate var resource: WaitResource {
    // SAFETY: whoever waits has a reference to the loop.
    WaitResource(
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { CFRunLoop.at($0).words },
      need: { raw, _ in
        let thread = CFRunLoop.at(raw).thread
        return thread == 0 ? .nobody : .thread(thread)
      })
  }

  private static func at(_ raw: UnsafeRawPointer) -> CFRunLoop {
    // SAFETY: see `resource`.
    Unmanaged<CFRunLoop>.fromOpaque(raw).takeUnretainedValue()
  }
}
