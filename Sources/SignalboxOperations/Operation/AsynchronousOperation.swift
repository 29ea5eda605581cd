// AsynchronousOperation — work that goes on after its function has returned. Beyond Apple's API.
//
// Touching    `work`: under `lock`. `Finish`: its word, under a lock of its own.
// Invariants  I1  the end is said once: by the block, which can be called once, or because the
//                 operation was cancelled before it began.

import SignalboxRuntime

/// An operation whose work goes on after its function has returned, and says itself when it is
/// over.
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
/// A subclass overrides ``execute(_:)`` instead. There is no state to be kept and nothing to be
/// told: the block that the work is given is all. It may be called from any thread, before the
/// work's function has returned or after; then the operation is finished. Nothing is held
/// meanwhile but the operation's place in its queue's width.
///
/// Call it on every path, also where work fails or finds ``Operation/isCancelled`` set. A second
/// call traps, and so does letting go of the block without a call: nobody could ever finish the
/// operation then.
///
/// *Beyond Apple's API*, where a subclass overrides `start()`, `isExecuting` and `isFinished`
/// and tells of their changes, which works here, too.
// SAFETY: see Touching.
open class AsynchronousOperation: Operation, @unchecked Sendable {
  /// What the work calls when it is over.
  public typealias FinishBlock = @Sendable () -> Void

  private final var work: ((_ finish: @escaping FinishBlock) -> Void)?

  /// An operation that does what a subclass does in ``execute(_:)``.
  public override init() { super.init() }

  /// An operation that calls `work`, which calls the block it is given when it is over.
  public convenience init(_ work: @escaping @Sendable (_ finish: @escaping FinishBlock) -> Void) {
    self.init()
    self.work = work
  }

  /// Begins the work. Calls the closure that the operation was made with; a subclass overrides
  /// it and need not call this one.
  ///
  /// - Parameter finish: to be called once, when the work is over.
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

/// The block that ends an operation, of which everybody has a copy.
// SAFETY: `isCalled` is read and written under `lock`.
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
        "\(operation.title) can never finish: the block that finishes it was let go of without a "
          + "call. Call it on every path, also where the work fails or is cancelled.")
    }
  }
}
