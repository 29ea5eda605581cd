// AsyncGate — a gate that tasks pass while it is open, and wait at while it is closed.
//
// Touching    everything: under `lock`. Tasks are resumed without it.

import SignalboxRuntime

/// A gate where tasks wait until it is open; no thread waits with them.
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
/// It is what a semaphore is often taken for, where only “not before” is meant. It is opened,
/// closed and asked from any thread, in a task or not. It has no owner and counts nothing:
/// opening an open gate changes nothing.
///
/// *Beyond Apple's API.*
public final class AsyncGate: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private var opened: Bool
  private var line = WaiterLine()

  /// - Parameter isOpen: whether tasks may pass from the beginning.
  public init(isOpen: Bool = false) { opened = isOpen }

  /// Whether a task would pass now. A hint: another thread may change it meanwhile.
  public var isOpen: Bool { lock.withLock { opened } }

  /// Opens the gate. Every task that waits passes, in the order in which they came, even if the
  /// gate is closed again at once; so does every task that comes while it is open.
  ///
  /// From any thread. The tasks are handed to their executors one by one, on this thread. Those
  /// of an actor come to it by way of the pool, as Swift's runtime has it, and may overtake
  /// each other there.
  public func open() {
    lock.lock()
    opened = true
    let end = line.end
    lock.unlock()
    while let waiter = next(below: end) { waiter.resume() }
  }

  /// Closes the gate: tasks that come from now on wait.
  public func close() {
    lock.withLock { opened = false }
  }

  /// Waits until the gate is open. If it is, it returns at once.
  ///
  /// What came before `open()` on its thread comes before what this task does next. A wait
  /// costs one allocation, which is freed when it is over.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, before the call or during it: at
  ///   once, also where the gate is open, and the gate remembers nothing of the wait.
  nonisolated(nonsending) public func passed() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if isOpen { return }
    try await LineWaiter(at: self).wait()
  }

  /// How many tasks stand in line.
  var waitingCount: Int { lock.withLock { line.count } }

  private func next(below end: UInt64) -> LineWaiter? {
    lock.lock()
    defer { lock.unlock() }
    return line.removeFirst(below: end)
  }
}

extension AsyncGate: WaitingPlace {
  func enlist(_ waiter: LineWaiter) {
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
