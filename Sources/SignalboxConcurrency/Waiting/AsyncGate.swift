// AsyncGate — a gate that tasks pass while it is open, and wait at while it is closed.
//
// Touching    everything: under `lock`. Tasks are resumed without it.

import SignalboxRuntime

/// A gate where tasks wait until it is open, without occupying a thread.
///
/// ```swift
/// let ready = AsyncGate()
/// Task {
///   try await ready.passed()
///   serve()
/// }
/// queue.async {
///   load()
///   ready.open()
/// }
/// ```
///
/// Use it to hold tasks back until something is ready, where a semaphore would block a thread.
/// Open, close and query it from any thread, in a task or not. It has no owner and no count:
/// opening an open gate changes nothing.
///
/// *Beyond Apple's API.*
public final class AsyncGate: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private var opened: Bool
  private var line = WaiterLine()

  /// Creates a gate.
  ///
  /// - Parameter isOpen: whether the gate starts open.
  public init(isOpen: Bool = false) { opened = isOpen }

  /// Whether a task would pass now. A hint: another thread may change it at any time.
  public var isOpen: Bool { lock.withLock { opened } }

  /// Opens the gate. All waiting tasks pass, in the order of their arrival, even if you close
  /// the gate again at once; so do all tasks that arrive while it is open.
  ///
  /// Call it from any thread. The call hands the tasks to their executors one by one, on this
  /// thread. Swift's runtime sends tasks of an actor through the pool, where they may overtake
  /// each other.
  public func open() {
    lock.lock()
    opened = true
    let end = line.end
    lock.unlock()
    while let waiter = next(below: end) { waiter.resume() }
  }

  /// Closes the gate: tasks that arrive from now on wait.
  public func close() {
    lock.withLock { opened = false }
  }

  /// Waits until the gate is open. Returns at once if it is.
  ///
  /// Everything that a thread did before `open()` is visible to the task after the wait. A wait
  /// costs one allocation, which is freed when the wait is over.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before or during the call: at once,
  ///   even if the gate is open. The gate then forgets the wait.
  nonisolated(nonsending) public func passed() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if isOpen { return }
    try await LineWaiter(on: self).wait()
  }

  var waitingCount: Int { lock.withLock { line.count } }

  private func next(below end: UInt64) -> LineWaiter? {
    lock.lock()
    defer { lock.unlock() }
    return line.removeFirst(below: end)
  }
}

extension AsyncGate: Awaitable {
  func register(_ waiter: LineWaiter) {
    lock.lock()
    let passes = opened
    if !passes { line.append(waiter) }
    lock.unlock()
    if passes { waiter.resume() }
  }

  func withdraw(_ waiter: LineWaiter) {
    lock.withLock { line.remove(waiter) }
  }
}
