// AsynchronousOperations — subclasses that keep their own state and report its changes, by names
// and by key paths.

import Foundation

class ByName: Operation, @unchecked Sendable {
  // SAFETY: the state is touched with `guardian` held only.
  private let guardian = NSLock()
  private var running = false
  private var done = false

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { guardian.withLock { running } }
  override var isFinished: Bool { guardian.withLock { done } }

  override func start() {
    if isCancelled { return finish() }
    willChangeValue(forKey: "isExecuting")
    guardian.withLock { running = true }
    didChangeValue(forKey: "isExecuting")
    main()
  }

  func finish() {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    guardian.withLock {
      running = false
      done = true
    }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

// SAFETY: its own state is guarded, or constant.
final class Delayed: ByName, @unchecked Sendable {
  let lines: Lines

  init(_ lines: Lines) { self.lines = lines }

  override func main() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
      self.lines.add("delayed")
      self.finish()
    }
  }
}

// SAFETY: its own state is guarded, or constant.
final class ByKeyPath: Operation, @unchecked Sendable {
  enum State { case ready, executing, finished }

  // SAFETY: the state is touched with `guardian` held only.
  private let guardian = NSLock()
  private var state = State.ready
  let lines: Lines

  init(_ lines: Lines) { self.lines = lines }

  override var isAsynchronous: Bool { return true }
  override var isExecuting: Bool { guardian.withLock { state == .executing } }
  override var isFinished: Bool { guardian.withLock { state == .finished } }

  override func start() {
    guard !isCancelled else { return move(to: .finished) }
    move(to: .executing)
    Thread.detachNewThread {
      self.lines.add("on a thread of its own")
      self.move(to: .finished)
    }
  }

  private func move(to next: State) {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    guardian.withLock { state = next }
    didChangeValue(for: \.isFinished)
    didChangeValue(for: \.isExecuting)
  }
}

/// An operation that is ready when the program opens it.
final class Gated: Operation, @unchecked Sendable {
  // SAFETY: the state is touched with `guardian` held only.
  private let guardian = NSLock()
  private var isOpen = false

  override var isReady: Bool { super.isReady && guardian.withLock { isOpen } }

  func open() {
    willChangeValue(forKey: "isReady")
    guardian.withLock { isOpen = true }
    didChangeValue(forKey: "isReady")
  }
}

enum AsynchronousOperations {
  static func run() {
    let lines = Lines()
    let queue = OperationQueue()
    let delayed = Delayed(lines)
    let byKeyPath = ByKeyPath(lines)
    byKeyPath.addDependency(delayed)
    delayed.completionBlock = { lines.add("completed") }
    queue.addOperations([byKeyPath, delayed], waitUntilFinished: true)
    sleep { lines.count == 3 }
    lines.show(sorted: true)
    print(delayed.isFinished, byKeyPath.isFinished, byKeyPath.isAsynchronous)
    // An end that is announced again has no effect.
    delayed.finish()
    delayed.cancel()
    delayed.finish()
    print(lines.count, delayed.isFinished, delayed.isCancelled)

    let cancelled = ByKeyPath(lines)
    cancelled.cancel()
    queue.addOperation(cancelled)
    cancelled.waitUntilFinished()
    print(lines.count, cancelled.isFinished)
    // Who waits for an operation may go on before it has left its queue.
    queue.waitUntilAllOperationsAreFinished()

    let gated = Gated()
    gated.completionBlock = { lines.add("the gate was open") }
    queue.addOperation(gated)
    Thread.sleep(forTimeInterval: 0.005)
    print(gated.isFinished, gated.isReady, queue.operationCount)
    gated.open()
    queue.waitUntilAllOperationsAreFinished()
    sleep { lines.count == 1 }
    lines.show()
  }
}
