// OnceState — whether a body that runs exactly once is new, running, awaited or done.
//
// States      new → running → running with waiters → done; back to new if the
//             body throws.
// Touching    `word`: any thread, atomically.
// Ordering    ON1  the runner's exchange to `done` (releasing) → every later
//                  caller's load (acquiring): they see what the body did.

import CSignalbox
public import Synchronization

@frozen @usableFromInline
package struct OnceState: ~Copyable {
  @usableFromInline let word = Atomic<UInt32>(OnceWord.new)
  /// The number of the thread that runs the body; 0 for none. That thread writes it, and finds its
  /// own number here. Another thread relies on the number only while the runner waits, or after a
  /// fork.
  @usableFromInline let runner = SingleWriter<UInt32>(0)

  @inlinable package init() {}

  /// Whether the body has run. If true, the caller sees what the body did.
  @inlinable package var isDone: Bool {
    word.load(ordering: .acquiring) == OnceWord.done  // order: acquiring, ON1
  }

  /// Waits until the body has run, unless the calling thread must run it.
  ///
  /// - Parameters:
  ///   - call: the function that the program called, for the trap if the body calls it again.
  ///   - resource: the resource to wait for, with ``need``.
  /// - Returns: whether this thread must run the body and then call ``end(_:)``. If not,
  ///   the body has run.
  @inline(never)
  package borrowing func begin(_ call: StaticString, for resource: WaitResource) -> Bool {
    let thread = csb_thread_number()
    while true {
      let (began, current) = word.compareExchange(
        expected: OnceWord.new, desired: OnceWord.running,
        ordering: .acquiring)  // order: acquiring, ON1
      if began {
        runner.store(thread)
        return true
      }
      switch current {
      case OnceWord.done: return false
      case OnceWord.running:
        checkRecursion(thread, call, resource)
        // order: relaxed; only announces a waiter, the futex compares the word again.
        _ = word.compareExchange(
          expected: OnceWord.running, desired: OnceWord.awaited, ordering: .relaxed)
      default:
        checkRecursion(thread, call, resource)
        checkFork(call)
        _ = Parking.wait(
          while: wordAddress(word), is: OnceWord.awaited, until: .never, for: .once, on: resource)
      }
    }
  }

  /// Ends the run of the body on this thread.
  ///
  /// - Parameter finished: false if the body threw; then it counts as not run.
  @inline(never) @usableFromInline
  package borrowing func end(_ finished: Bool) {
    runner.store(0)
    let old = word.exchange(
      finished ? OnceWord.done : OnceWord.new,
      ordering: .releasing)  // order: releasing, ON1
    if old == OnceWord.awaited { Parking.wake(wordAddress(word), count: Int32.max) }
  }

  /// What a reader in another process sees of the object with this state.
  package func view(_ title: StaticString) -> OutsideView {
    OutsideView(title, holder: .word(addressOfWord(runner)))
  }

  /// The thread that a waiter needs.
  package var need: WaitNeed { .thread(runner.load()) }

  private borrowing func checkFork(_ call: StaticString) {
    guard Fork.hasHappened else { return }
    let runner = runner.load()
    if runner != 0 && Fork.hasLost(runner) {
      clientBug(
        "\(call) waits for a body that a thread of the parent was running when the process "
          + "forked: it never ends in this process. Run it before the fork.")
    }
  }

  private borrowing func checkRecursion(
    _ thread: UInt32, _ call: StaticString, _ resource: WaitResource
  ) {
    if runner.load() == thread {
      selfDeadlock(
        "deadlock: \(call) was called from within its own body: it would wait for itself forever. "
          + "Move the shared work out of the body, before the call.", for: .once, on: resource)
    }
  }
}

@usableFromInline
enum OnceWord {
  @inlinable static var new: UInt32 { 0 }
  @inlinable static var running: UInt32 { 1 }
  @inlinable static var awaited: UInt32 { 2 }
  @inlinable static var done: UInt32 { 3 }
}
