// Debouncer — many calls, one run: the last call's work, once calls have stopped.
//
// Touching    `pending`, `calls`: under `lock`.
// Invariants  I1  if a timer finds a number other than its own in `calls`, its call was
//                 superseded or cancelled after the timer fired, and the timer runs nothing.

public import SignalboxDispatch
import SignalboxRuntime

/// Postpones work until no further work is submitted for a while, and then runs only the work
/// that was submitted last.
///
/// ```swift
/// let search = Debouncer(quietTime: .milliseconds(300), queue: .main)
/// func textDidChange(_ text: String) {
///   search.submit { showResults(for: text) }
/// }
/// ```
///
/// ``submit(_:)`` and ``cancel()`` free the captures of superseded or cancelled work before
/// they return; the captures of work that has run are freed right after. Work that has begun
/// continues; work that you submit in the meantime runs when its own quiet time is over.
///
/// You may release a debouncer at any time: pending work still runs. To prevent that, call
/// ``cancel()`` first.
///
/// Call it from any thread. A call costs setting one timer and cancelling another.
///
/// *Beyond Apple's API.* The operator `debounce` of Reactive Extensions and of Combine,
/// for queues.
public final class Debouncer: Sendable {
  private struct Pending {
    let work: () -> Void
    let timer: DispatchWorkItem
  }

  private let quietTime: DispatchTimeInterval
  private let queue: DispatchQueue
  private let lock = EngineLock()
  // SAFETY: see Touching.
  private nonisolated(unsafe) var pending: Pending?
  // SAFETY: see Touching.
  private nonisolated(unsafe) var calls: UInt64 = 0

  /// Creates a debouncer.
  ///
  /// - Parameters:
  ///   - quietTime: how long to wait after the last call before its work runs.
  ///   - queue: the queue that runs the work. On a serial queue, runs never overlap.
  public init(quietTime: DispatchTimeInterval, queue: DispatchQueue) {
    self.quietTime = quietTime
    self.queue = queue
  }

  /// Runs `work` after the quiet time, unless another call arrives first. Drops pending
  /// work.
  public func submit(_ work: @escaping @Sendable () -> Void) {
    lock.lock()
    calls &+= 1
    let call = calls
    let timer = DispatchWorkItem { self.run(call) }
    let superseded = pending
    pending = Pending(work: work, timer: timer)
    lock.unlock()
    superseded?.timer.cancel()
    queue.asyncAfter(deadline: .now() + quietTime, execute: timer)
  }

  /// Drops pending work.
  public func cancel() {
    lock.lock()
    calls &+= 1
    let cancelled = pending
    pending = nil
    lock.unlock()
    cancelled?.timer.cancel()
  }

  /// Called when the quiet time after a call is over.
  private func run(_ call: UInt64) {
    lock.lock()
    let due = call == calls ? pending : nil
    if due != nil { pending = nil }
    lock.unlock()
    due?.work()
  }
}
