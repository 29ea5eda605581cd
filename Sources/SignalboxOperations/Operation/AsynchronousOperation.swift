// AsynchronousOperation — work that continues after its function has returned. Beyond Apple's API.
//
// Touching    `work`: under `lock`. `Finish`: its flag, under a lock of its own.
// Invariants  I1  the operation finishes once: by the block, which can be called only once, or
//                 because it was cancelled before it began.

import SignalboxRuntime

/// An operation whose work continues after its function has returned, and which calls a block
/// when the work is finished.
///
/// ```swift
/// let upload = AsynchronousOperation { finish in
///   send(photo) { answer in
///     print(answer)
///     finish()
///   }
/// }
/// queue.addOperation(upload)
/// ```
///
/// A subclass overrides ``execute(_:)`` instead of passing a closure. There is no state to keep
/// and no change to announce: calling the block finishes the operation. Call it from any
/// thread, before or after the work's function returns. Between the return and the call, the
/// operation occupies no thread, only its part of its queue's width.
///
/// Call the block on every path, even when the work fails or finds ``Operation/isCancelled``
/// set. A second call traps. Releasing the block without a call also traps, because the
/// operation could never finish.
///
/// *Beyond Apple's API*, where a subclass overrides `start()`, `isExecuting` and `isFinished`
/// and announces their changes, which works here too.
// SAFETY: see Touching.
open class AsynchronousOperation: Operation, @unchecked Sendable {
  /// The block that the work calls when it is finished.
  public typealias FinishBlock = @Sendable () -> Void

  private final var work: ((_ finish: @escaping FinishBlock) -> Void)?

  /// Creates an operation for a subclass that overrides ``execute(_:)``.
  public override init() { super.init() }

  /// Creates an operation that calls `work`. The work calls the block that it receives when it
  /// is finished.
  public convenience init(_ work: @escaping @Sendable (_ finish: @escaping FinishBlock) -> Void) {
    self.init()
    self.work = work
  }

  /// Starts the work. The default calls the closure that the operation was created with; an
  /// override need not call `super`.
  ///
  /// - Parameter finish: call this once, when the work is finished.
  open func execute(_ finish: @escaping FinishBlock) {
    let work = lock.withLock {
      let work = self.work
      self.work = nil
      return work
    }
    if let work { work(finish) } else { finish() }
  }

  public final override func start() {
    let (entry, caller) = enter()
    switch entry {
    case .over: return
    case .cancelled: complete()
    case .work: startMain(by: caller)
    }
  }

  public final override func main() {
    let end = Finish(of: self)
    execute { end.call() }
  }

  public final override var isAsynchronous: Bool { true }
  public final override var isFinished: Bool { lock.withLock { phase >= .finishing } }
  public final override var isExecuting: Bool { lock.withLock { phase == .executing } }
}

/// The object behind the finishing block, shared by all its copies.
// SAFETY: `isCalled` is only used under `lock`.
private final class Finish: @unchecked Sendable {
  private let lock = EngineLock()
  private var isCalled = false
  private let operation: Operation

  init(of operation: Operation) { self.operation = operation }

  func call() {
    let isSecond = lock.withLock {
      defer { isCalled = true }
      return isCalled
    }
    if isSecond {
      clientBug(
        "the block that finishes \(operation.title) was called twice: an operation finishes once. "
          + "Where several paths lead to its end, let only the first one call it.")
    }
    operation.complete()
  }

  deinit {
    if !isCalled {
      clientBug(
        "\(operation.title) can never finish: the block that finishes it was released without "
          + "being called. Call it on every path, even if the work fails or is cancelled.")
    }
  }
}
