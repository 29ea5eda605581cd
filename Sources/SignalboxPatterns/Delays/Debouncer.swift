// Debouncer — many calls, one run: the last, when it has become quiet.
//
// Touching    `pending`, `calls`: under `lock`.
// Invariants  I1  a timer that finds another number than its own in `calls` was
//                 superseded or cancelled after it had begun: it runs nothing.

public import SignalboxDispatch
import SignalboxRuntime

/// Puts work off until no more is submitted for a while; only the last is then run,
/// once.
///
/// ```swift
/// let search = Debouncer(quietTime: .milliseconds(300), queue: .main)
/// func textDidChange(_ text: String) {
///   search.submit { showResults(for: text) }
/// }
/// ```
///
/// What the work of a superseded or cancelled call captured is freed before
/// ``submit(_:)`` or ``cancel()`` returns, and what has run right after. Work that has begun to
/// run goes on; what is submitted then runs after it, when its own time has come.
///
/// A debouncer may be released at any time: what is pending still runs. Who does not
/// want that calls ``cancel()`` first.
///
/// From any thread. A call costs a timer that is set and one that is taken back.
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

  /// - Parameters:
  ///   - quietTime: how long no call must have come before the last one runs.
  ///   - queue: where it runs. On a serial queue runs never overlap.
  public init(quietTime: DispatchTimeInterval, queue: DispatchQueue) {
    self.quietTime = quietTime
    self.queue = queue
  }

  /// Has `work` run when the quiet time is over, unless another call comes before;
  /// what was pending is dropped.
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

  /// Drops what is pending.
  public func cancel() {
    lock.lock()
    calls &+= 1
    let cancelled = pending
    pending = nil
    lock.unlock()
    cancelled?.timer.cancel()
  }

  /// The quiet time after a call is over.
  private func run(_ call: UInt64) {
    lock.lock()
    let due = call == calls ? pending : nil
    if due != nil { pending = nil }
    lock.unlock()
    due?.work()
  }
}
