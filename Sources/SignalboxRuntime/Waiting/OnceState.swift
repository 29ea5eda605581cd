// OnceState — whether a body that is to run exactly once has run, runs, or is awaited.
//
// States      new → running → running with waiters → done; back to new if the
//             body throws.
// Touching    `word`: any thread, atomically. `runner`: written by the thread
//             that runs the body, read by anyone.
// Ordering    ON1  the runner's exchange to `done` (releasing) → every later
//                  caller's load (acquiring): they see what the body did.

import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct OnceState: ~Copyable {
  @usableFromInline let word = Atomic<UInt32>(OnceWord.new)
  @usableFromInline let runner = Atomic<UInt32>(0)

  @inlinable package init() {}

  /// Whether the body has run. Whoever finds so sees what it did.
  @inlinable package var isDone: Bool {
    word.load(ordering: .acquiring) == OnceWord.done  // order: acquiring, ON1
  }

  /// Waits until the body has run, unless the calling thread is to run it.
  ///
  /// - Parameters:
  ///   - call: what the program called, for the trap of a body that calls it again.
  ///   - resource: what to wait for, with ``need``.
  /// - Returns: whether this thread is to run the body, and then to call ``end(_:)``; if
  ///   not, it has been run.
  @inline(never)
  package borrowing func begin(_ call: StaticString, for resource: WaitResource) -> Bool {
    let thread = csb_thread_number()
    while true {
      let (began, current) = word.compareExchange(
        expected: OnceWord.new, desired: OnceWord.running,
        ordering: .acquiring)  // order: acquiring, ON1
      if began {
        // order: relaxed; only this thread compares it with itself.
        runner.store(thread, ordering: .relaxed)
        return true
      }
      switch current {
      case OnceWord.done: return false
      case OnceWord.running:
        checkRecursion(thread, call)
        // order: relaxed; an announcement, the futex compares the word again.
        _ = word.compareExchange(
          expected: OnceWord.running, desired: OnceWord.awaited, ordering: .relaxed)
      default:
        checkRecursion(thread, call)
        checkFork(call)
        _ = WaitingDoor.wait(
          while: wordAddress(word), is: OnceWord.awaited, until: .never, for: .once, on: resource)
      }
    }
  }

  /// The body has ended, on this thread.
  ///
  /// - Parameter finished: false if it threw: then it counts as not run.
  @inline(never) @usableFromInline
  package borrowing func end(_ finished: Bool) {
    runner.store(0, ordering: .relaxed)  // order: relaxed; as in `begin`.
    let old = word.exchange(
      finished ? OnceWord.done : OnceWord.new,
      ordering: .releasing)  // order: releasing, ON1
    if old == OnceWord.awaited { WaitingDoor.wake(wordAddress(word), count: Int32.max) }
  }

  /// Whom a thread needs that waits.
  package var need: WaitNeed {
    // order: relaxed; believed only of a thread that waits meanwhile, which has
    // written it before.
    .thread(runner.load(ordering: .relaxed))
  }

  private borrowing func checkFork(_ call: StaticString) {
    guard Fork.hasHappened else { return }
    // order: relaxed; a thread of the parent's wrote it before the fork, or one of ours,
    // which is not lost.
    let runner = runner.load(ordering: .relaxed)
    if runner != 0 && Fork.hasLost(runner) {
      clientBug(
        "\(call) waits for a body that a thread of the parent was running when the process "
          + "forked: it never ends here. Have it run before the fork.")
    }
  }

  private borrowing func checkRecursion(_ thread: UInt32, _ call: StaticString) {
    // order: relaxed; equal only if this thread wrote it.
    if runner.load(ordering: .relaxed) == thread {
      clientBug(
        "deadlock: \(call) was called from within its own body: it would wait for itself for "
          + "ever. Do what both need before, outside the body.")
    }
  }
}

/// The values of a once's word.
@usableFromInline
enum OnceWord {
  @inlinable static var new: UInt32 { 0 }
  @inlinable static var running: UInt32 { 1 }
  @inlinable static var awaited: UInt32 { 2 }
  @inlinable static var done: UInt32 { 3 }
}
