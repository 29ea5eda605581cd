// DispatchOnce — a body that runs exactly once.
//
// States      new → running → running with waiters → done; back to new if the
//             body throws.
// Touching    `word`: any thread, atomically. `runner`: written by the thread
//             that runs the body, read by anyone.
// Ordering    ON1  the runner's exchange to `done` (releasing) → every later
//                  caller's load (acquiring): they see what the body did.

import CSignalbox
public import SignalboxRuntime
public import Synchronization

/// Runs a body exactly once, however many threads ask.
///
/// ```swift
/// let once = DispatchOnce()
/// once.perform { print("only the first time") }
/// ```
///
/// A `static let` does the same for a value and is what new code mostly wants.
/// *Beyond Apple's API*: it stands for `dispatch_once`, which Swift hides.
public final class DispatchOnce: Sendable {
  @usableFromInline let word = Atomic<UInt32>(OnceWord.new)
  private let runner = Atomic<UInt32>(0)

  public init() {}

  /// Runs `body` if no call has yet; else waits until that call's body has
  /// ended. Calling it from within its own body traps.
  ///
  /// If the body throws, it counts as not run: a thread that waited, or the
  /// next to come, runs its own.
  @inlinable
  public func perform(_ body: () throws -> Void) rethrows {
    // SAFETY: an address to compare, not to follow.
    Probe.onceAsked(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    // order: acquiring, ON1
    if word.load(ordering: .acquiring) == 3 { return }
    guard begin() else { return }
    var finished = false
    defer { end(finished) }
    try body()
    finished = true
  }

  /// Whether this thread is to run the body; if not, it has been run.
  @inline(never) @usableFromInline
  func begin() -> Bool {
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
        checkRecursion(thread)
        // order: relaxed; an announcement, the futex compares the word again.
        _ = word.compareExchange(
          expected: OnceWord.running, desired: OnceWord.awaited, ordering: .relaxed)
      default:
        checkRecursion(thread)
        _ = WaitingDoor.wait(
          while: wordAddress(word), is: OnceWord.awaited, until: .never, for: .once, on: resource)
      }
    }
  }

  @usableFromInline
  func end(_ finished: Bool) {
    runner.store(0, ordering: .relaxed)  // order: relaxed; as in `begin`.
    let old = word.exchange(
      finished ? OnceWord.done : OnceWord.new,
      ordering: .releasing)  // order: releasing, ON1
    if old == OnceWord.awaited { WaitingDoor.wake(wordAddress(word), count: Int32.max) }
  }

  private func checkRecursion(_ thread: UInt32) {
    // order: relaxed; equal only if this thread wrote it.
    if runner.load(ordering: .relaxed) == thread {
      clientBug(
        "DispatchOnce.perform(_:) was called from within its own body: it would wait for itself for ever."
      )
    }
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: whoever waits holds a reference.
      object: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      describe: { _ in "a DispatchOnce" },
      need: { raw, _ in
        // SAFETY: whoever waits holds a reference.
        Unmanaged<DispatchOnce>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          // order: relaxed; believed only of a thread that waits meanwhile, which
          // has written it before.
          .thread($0.runner.load(ordering: .relaxed))
        }
      }, place: { $0.place })
  }
}

/// The values of a once's word.
@usableFromInline
enum OnceWord {
  static let new: UInt32 = 0
  static let running: UInt32 = 1
  static let awaited: UInt32 = 2
  static let done: UInt32 = 3
}
