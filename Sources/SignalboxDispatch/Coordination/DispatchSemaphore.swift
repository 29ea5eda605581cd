// DispatchSemaphore — a count of permits.
//
// Fast path   one atomic subtraction or addition on `value`.
// Slow path   a negative value says how many threads wait. Each signal that
//             finds one adds a permit to `permits`, on which waiters sleep; each
//             waiter that leaves takes one.
//
// Touching    both words: any thread, atomically.
// Ordering    SE1  signal's addition to `value` (releasing) → wait's subtraction
//                  (acquiring).
//             SE2  a permit's addition (releasing) → its removal (acquiring).
// Invariants  I1  permits handed out = signals that found someone waiting; a
//                 waiter that times out takes itself out of `value` only while
//                 that is negative, else a permit is on its way to it.
// Sources     sem_overview(7); futex(2).

import SignalboxRuntime
import Synchronization

/// A counting semaphore.
///
/// ```swift
/// let slots = DispatchSemaphore(value: 4)
/// slots.wait()
/// defer { slots.signal() }
/// ```
///
/// A worker of the pool that waits is replaced by another if work is pending.
/// A semaphore must not be released with a lower value than it was made with.
///
/// Source: Apple's documentation of `DispatchSemaphore`.
// SAFETY: all state is atomic.
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  private let value: Atomic<Int>
  private let permits = Atomic<UInt32>(0)
  private let initialValue: Int

  /// - Parameter value: how many waits succeed before the first signal; a
  ///   negative one traps.
  public init(value: Int) {
    if value < 0 {
      clientBug("DispatchSemaphore(value: \(value)): the value must not be negative.")
    }
    self.value = Atomic(value)
    initialValue = value
    super.init()
  }

  deinit {
    TraceCapture.objectIsGone(address, .semaphore)
    let last = value.load(ordering: .relaxed)  // order: relaxed; the last reference is gone.
    if last < initialValue {
      clientBug(
        "a DispatchSemaphore was released with the value \(last), below the \(initialValue) it was "
          + "made with: signal() as often as wait() before the last reference goes away.")
    }
  }

  public override var description: String {
    // order: relaxed; a hint.
    "<DispatchSemaphore, value: \(value.load(ordering: .relaxed)), made with \(initialValue)>"
  }

  // MARK: Signalling

  /// Gives one permit, to exactly one waiter if any wait.
  ///
  /// - Returns: not 0 if a thread was woken.
  @discardableResult
  public final func signal() -> Int {
    Probe.semaphoreSignalled(address)
    // order: releasing, SE1
    let old = value.wrappingAdd(1, ordering: .releasing).oldValue
    if old >= 0 { return 0 }
    wakeOne()
    return 1
  }

  @inline(never)
  private func wakeOne() {
    let address = wordAddress(permits)
    permits.wrappingAdd(1, ordering: .releasing)  // order: releasing, SE2
    WaitingDoor.wake(address)
  }

  // MARK: Waiting

  /// Takes a permit, waiting for one if there is none.
  public final func wait() {
    if takeFast() { return }
    _ = waitSlow(until: .never)
  }

  /// Takes a permit, waiting for one at most until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    if takeFast() { return .success }
    return waitSlow(until: timeout.deadline)
  }

  /// Takes a permit, waiting for one at most until `wallTimeout` by the wall
  /// clock.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
    if takeFast() { return .success }
    return waitSlow(until: wallTimeout.deadline)
  }

  /// Whether a permit was there. If not, this thread now counts as waiting.
  @inline(__always)
  private func takeFast() -> Bool {
    Probe.semaphoreTaken(address)
    // order: acquiring, SE1
    return value.wrappingSubtract(1, ordering: .acquiring).oldValue > 0
  }

  @inline(never)
  private func waitSlow(until deadline: Deadline) -> DispatchTimeoutResult {
    while true {
      if takePermit() { return .success }
      let outcome = WaitingDoor.wait(
        while: wordAddress(permits), is: 0, until: deadline, for: .semaphore, on: resource)
      if outcome == .timedOut { return giveUp() }
    }
  }

  private func takePermit() -> Bool {
    var old = permits.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old > 0 {
      let (exchanged, current) = permits.weakCompareExchange(
        expected: old, desired: old - 1,
        successOrdering: .acquiring,  // order: acquiring, SE2
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = current
    }
    return false
  }

  /// The time is over: this thread no longer counts as waiting, unless a signal
  /// has counted on it; then a permit is there or about to be.
  ///
  /// It does not sleep for that permit: a newcomer may take it, and the next
  /// signal may be far. Then the value is negative again, and this thread can
  /// leave.
  private func giveUp() -> DispatchTimeoutResult {
    while true {
      if stopWaiting() { return .timedOut }
      if takePermit() { return .success }
      // The signal is between its two additions.
      WaitingDoor.giveWay()
    }
  }

  /// Whether this thread no longer counts as waiting.
  private func stopWaiting() -> Bool {
    var old = value.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old < 0 {
      let (exchanged, current) = value.weakCompareExchange(
        expected: old, desired: old + 1,
        successOrdering: .relaxed,  // order: relaxed; nothing is handed over.
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = current
    }
    return false
  }

  private var resource: WaitResource {
    WaitResource(
      object: address,
      describe: { raw in
        // SAFETY: whoever waits for the semaphore holds a reference to it.
        Unmanaged<DispatchSemaphore>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "a semaphore made with \($0.initialValue)"
        }
      }, place: { $0.place })
  }
}
