// OnceFunctions — the functions of <dispatch/once.h>, on a word that belongs to C code.
//
// lower half   upper half   meaning
// 0            0            new
// 1            thread       this thread runs the body
// 2            thread       the same, and another thread sleeps on the lower half
// all ones     all ones     done: the inline functions of the header compare with this
//
// Touching    the word: any thread, atomically.
// Ordering    OF1  the runner's exchange to done (releasing) → every later caller's load
//                  (acquiring): they see what the body did.

import CSignalbox
package import SignalboxDispatch
import SignalboxRuntime
import Synchronization

/// Calls `block` if this is the first call with this predicate. Every other call waits until the
/// first block has ended.
@_cdecl("dispatch_once")
package func dispatchOnce(
  _ predicate: UnsafeMutableRawPointer?, _ block: UnsafeMutableRawPointer?
) {
  let once = OncePredicate(predicate, "dispatch_once")
  if once.isDone { return }
  let block = Block(block, "dispatch_once")
  once.perform("dispatch_once") { block() }
}

/// Calls `function` if this is the first call with this predicate. Every other call waits until the
/// first function has ended.
@_cdecl("dispatch_once_f")
package func dispatchOnceFunction(
  _ predicate: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?,
  _ function: dispatch_function_t?
) {
  let once = OncePredicate(predicate, "dispatch_once_f")
  if once.isDone { return }
  let function = checked(function, "dispatch_once_f")
  once.perform("dispatch_once_f") { function(context) }
}

private struct OncePredicate {
  private typealias Word = Atomic<UInt64>
  private let word: UnsafeMutablePointer<Word>

  private static let done = UInt64.max
  private static let runs: UInt32 = 1
  private static let isAwaited: UInt32 = 2

  init(_ raw: UnsafeMutableRawPointer?, _ call: StaticString) {
    guard let raw else { clientBug("\(call) was called with NULL where a predicate belongs.") }
    // SAFETY: C code passes a 64-bit word; `Atomic<UInt64>` has the same layout.
    word = raw.assumingMemoryBound(to: Word.self)
  }

  @inline(__always)
  var isDone: Bool {
    // order: acquiring, OF1
    word.pointee.load(ordering: .acquiring) == OncePredicate.done
  }

  @inline(never)
  func perform(_ call: StaticString, _ body: () -> Void) {
    guard begin(call) else { return }
    body()
    // order: releasing, OF1
    let old = word.pointee.exchange(OncePredicate.done, ordering: .releasing)
    if UInt32(truncatingIfNeeded: old) == OncePredicate.isAwaited {
      Parking.wake(UnsafeRawPointer(word), count: Int32.max)
    }
  }

  /// Waits until the body has run, unless this thread must run it.
  private func begin(_ call: StaticString) -> Bool {
    let own = UInt64(csb_thread_number()) << 32
    while true {
      let (began, current) = word.pointee.compareExchange(
        expected: 0, desired: own | UInt64(OncePredicate.runs),
        ordering: .acquiring)  // order: acquiring, OF1
      if began { return true }
      if current == OncePredicate.done { return false }
      let runner = current & ~UInt64(UInt32.max)
      if runner == own {
        clientBug(
          "deadlock: \(call) was called from within its own body: it would wait for itself for "
            + "ever. Move the shared work out of the body, before the call.")
      }
      // order: relaxed; only announces a waiter, the futex compares the word again.
      _ = word.pointee.compareExchange(
        expected: runner | UInt64(OncePredicate.runs),
        desired: runner | UInt64(OncePredicate.isAwaited), ordering: .relaxed)
      _ = Parking.wait(
        while: UnsafeRawPointer(word), is: OncePredicate.isAwaited, until: .never, for: .once,
        on: resource)
    }
  }

  private var resource: WaitResource {
    WaitResource(
      object: UnsafeRawPointer(word), describe: { _ in "a dispatch_once" },
      need: { raw, _ in
        // SAFETY: the object is the word.
        let word = raw.assumingMemoryBound(to: Word.self)
        // order: relaxed; while this wait is part of a deadlock, the runner does not change.
        return .thread(UInt32(truncatingIfNeeded: word.pointee.load(ordering: .relaxed) >> 32))
      }, place: { $0.place },
      // The runner is in the upper half of the word.
      view: OutsideView("the dispatch_once", holder: .word(UnsafeRawPointer(word) + 4)))
  }
}
