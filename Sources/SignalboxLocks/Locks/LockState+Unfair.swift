// LockState+Unfair — the lock of the unfair family: only its holder may release it.
//
// `UnfairLock`, `OSAllocatedUnfairLock` and the `os_unfair_lock` functions share it. They differ
// in where the word is.

public import CSignalbox
public import SignalboxRuntime
import Synchronization

/// The name of a lock of the family in reports.
@frozen @usableFromInline
package enum UnfairFamily: Sendable {
  case unfairLock, allocated, functions

  /// Describes the lock. There is one closure for each case, none of which captures anything: a
  /// capture would allocate memory for every wait.
  fileprivate var describe: WaitResource.Describe {
    switch self {
    case .unfairLock: { UnfairFamily.words("UnfairLock", $0) }
    case .allocated: { UnfairFamily.words("OSAllocatedUnfairLock", $0) }
    case .functions: { UnfairFamily.words("os_unfair_lock", $0) }
    }
  }

  fileprivate var title: StaticString {
    switch self {
    case .unfairLock: "the UnfairLock"
    case .allocated: "the OSAllocatedUnfairLock"
    case .functions: "the os_unfair_lock"
    }
  }

  private static func words(_ type: StaticString, _ address: UnsafeRawPointer) -> String {
    "the \(type) at 0x\(String(UInt(bitPattern: address), radix: 16))"
  }
}

extension LockState {
  @inlinable @inline(__always)
  borrowing func lockUnfairly(_ family: UnfairFamily) {
    let thread = csb_thread_number()
    if !take(thread) { takeUnfairly(thread, family) }
    Probe.lockTaken(resource(family))
  }

  @inlinable @inline(__always)
  borrowing func tryUnfairly(_ family: UnfairFamily) -> Bool {
    guard take(csb_thread_number()) else { return false }
    Probe.lockTaken(resource(family), byTry: true)
    return true
  }

  @inlinable @inline(__always)
  borrowing func unlockUnfairly(_ family: UnfairFamily) {
    Probe.lockLeft(resource(family))
    let thread = csb_thread_number()
    let old = leave()
    if old != thread { endUnfairly(old, thread, family) }
  }

  /// Reports to the probes that the lock is about to be freed.
  @inlinable @inline(__always)
  borrowing func reportFreed() { Probe.lockFreed(wordAddress(word)) }

  @inline(never) @usableFromInline
  borrowing func takeUnfairly(_ thread: UInt32, _ family: UnfairFamily) {
    _ = takeSlow(thread, on: resource(family))
  }

  @inline(never) @usableFromInline
  borrowing func endUnfairly(_ old: UInt32, _ thread: UInt32, _ family: UnfairFamily) {
    guard old & LockState.ownerMask == thread else {
      let owner = old & LockState.ownerMask
      clientBug(
        "\(resource(family).description) was unlocked by \(ThreadName.of(thread)), and "
          + (owner == 0 ? "nobody held it" : "\(ThreadName.of(owner)) holds it")
          + ": unlock it once, on the thread that locked it.")
    }
    endLeaving(old)
  }

  /// Traps unless the calling thread holds the lock as expected.
  @usableFromInline
  borrowing func checkUnfairly(isHeld expected: Bool, _ family: UnfairFamily) {
    if (owner == csb_thread_number()) == expected { return }
    let thread = ThreadName.of(csb_thread_number())
    clientBug(
      expected
        ? "\(resource(family).description) was expected to be held by \(thread), but is not."
        : "\(resource(family).description) was expected not to be held by \(thread), but is.")
  }

  /// The lock as reports name it: by the address of its word, which does not move while a thread
  /// waits for it.
  @inline(never) @usableFromInline
  borrowing func resource(_ family: UnfairFamily) -> WaitResource {
    WaitResource(
      // The program may use the word of an `os_unfair_lock` for something else, without any report.
      object: wordAddress(word), isTaken: true, endsUntold: family == .functions,
      describe: family.describe,
      need: { raw, _ in
        let owner = csb_look_at_word(raw) & LockState.ownerMask
        return owner == 0 ? .nobody : .thread(owner)
      }, place: { $0.place }, view: .lock(family.title, wordAddress(word)))
  }
}
