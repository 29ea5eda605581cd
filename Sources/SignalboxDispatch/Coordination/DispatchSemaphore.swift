// DispatchSemaphore — a count of permits.
//
// Fast path   one atomic subtraction or addition on `value`.
// Slow path   a value of -n means that n threads wait. Each signal that finds one adds a permit to
//             `permits`, on which waiters sleep; each waiter that leaves takes one.
//
// Touching    both words: any thread, atomically.
// Ordering    SE1  signal's addition to `value` (releasing) → wait's subtraction (acquiring).
//             SE2  a permit's addition (releasing) → its removal (acquiring).
// Invariants  I1  permits handed out = signals that found a waiting thread. A waiter that times out
//                 removes itself from `value` only while `value` is negative; otherwise a signal
//                 has already counted on this waiter, and its permit is on the way.
// Sources     sem_overview(7); futex(2).

package import SignalboxRuntime
import Synchronization

/// A counting semaphore.
///
/// ```swift
/// let slots = DispatchSemaphore(value: 4)
/// slots.wait()
/// defer { slots.signal() }
/// ```
///
/// If a worker of the pool waits, another worker replaces it while work is pending. Releasing a
/// semaphore whose value is lower than its initial value traps.
///
/// Source: Apple's documentation of `DispatchSemaphore`.
// SAFETY: all state is atomic.
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  private let value: Atomic<Int>
  private let permits = Atomic<UInt32>(0)
  private let initialValue: Int

  /// Creates a semaphore.
  ///
  /// - Parameter value: how many waits succeed before the first signal. A negative value traps.
  public init(value: Int) {
    if value < 0 {
      clientBug("DispatchSemaphore(value: \(value)): the value must not be negative.")
    }
    self.value = Atomic(value)
    initialValue = value
    super.init(.semaphore)
  }

  deinit {
    Probe.semaphoreFreed(address)
    let last = value.load(ordering: .relaxed)  // order: relaxed; the last reference is gone.
    if last < initialValue {
      clientBug(
        "a DispatchSemaphore was released with the value \(last), below the \(initialValue) it was "
          + "made with: signal() as often as wait() before the last reference goes away.")
    }
  }

  public override var description: String {
    // order: relaxed; a description may be out of date.
    "<DispatchSemaphore, value: \(value.load(ordering: .relaxed)), made with \(initialValue)>"
  }

  // MARK: Signalling

  /// Adds one permit, which exactly one waiter takes if threads wait.
  ///
  /// - Returns: not 0 if it woke a thread.
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
    Parking.wake(address)
  }

  // MARK: Waiting

  /// Takes a permit. If there is none, waits for one.
  public final func wait() {
    if takeFast() { return }
    _ = waitSlow(until: .never)
  }

  /// Takes a permit. If there is none, waits for one until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
    if takeFast() { return .success }
    return waitSlow(until: timeout.deadline)
  }

  /// Takes a permit. If there is none, waits for one until the wall clock passes
  /// `wallTimeout`.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
    if takeFast() { return .success }
    return waitSlow(until: wallTimeout.deadline)
  }

  package final func wait(until deadline: Deadline) -> DispatchTimeoutResult {
    if takeFast() { return .success }
    return waitSlow(until: deadline)
  }

  /// Takes a permit if there is one. Otherwise, this thread now counts as waiting.
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
      let outcome = Parking.wait(
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

  /// Ends a wait that has timed out: this thread no longer counts as waiting, unless a signal has
  /// counted on it. In that case, its permit exists, or will exist in a moment.
  ///
  /// The thread does not sleep for that permit, because a newcomer may take it, and the next
  /// signal may arrive late. If a newcomer takes it, the value is negative again, and this thread
  /// can leave.
  private func giveUp() -> DispatchTimeoutResult {
    while true {
      if stopWaiting() { return .timedOut }
      if takePermit() { return .success }
      // The signal that counted on this thread is between its two additions.
      Parking.yield()
    }
  }

  /// Tries to stop counting this thread as waiting.
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
        // SAFETY: a thread that waits for the semaphore holds a reference to it.
        Unmanaged<DispatchSemaphore>.fromOpaque(raw)._withUnsafeGuaranteedRef {
          "a semaphore made with \($0.initialValue)"
        }
      }, place: { $0.place }, view: OutsideView("the semaphore"))
  }
}
