// Starter — a thread that starts threads for those that must not.
//
// A thread hands its nice value on to the threads it starts, and an unprivileged
// process cannot raise it again. So a thread of lowered priority never starts one
// itself: it hands the worker to the starter, which has the process's priority.
// The starter is made before the first worker of a lower tier is.
//
// Touching    `first`: under `lock`. `word`: changed under `lock`, compared by the
//             kernel.
// Ordering    ST1  a hand-over's releasing addition to `word` → the starter's
//                  acquiring load: it then finds the worker in the list.

import CSignalbox
import Synchronization

final class Starter: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = Starter()

  private let lock = EngineLock()
  private let word = Atomic<UInt32>(0)
  private var first: WorkerPointer?
  private var isMade = false

  /// Starts the thread of `worker`, from here or by the starter. An error that the
  /// starter meets goes to the worker's pool.
  ///
  /// - Returns: 0, or what the kernel refused the thread with.
  static func start(_ worker: WorkerPointer) -> Int32 {
    if worker.isLow {
      let error = shared.arrange()
      if error != 0 { return error }
    }
    if shared.hasBeenMade && ProcessPriority.isLoweredHere {
      shared.handOver(worker)
      return 0
    }
    return startThread(worker)
  }

  private static func startThread(_ worker: WorkerPointer) -> Int32 {
    csb_thread_start(
      { raw in
        // SAFETY: `start` passed the worker, which the thread owns from here on.
        let worker = raw!.assumingMemoryBound(to: Worker.self)
        worker.pointee.pool.takeUnretainedValue().run(worker)
        return nil
      }, UnsafeMutableRawPointer(worker))
  }

  private var hasBeenMade: Bool { lock.withLock { isMade } }

  /// Makes the starter, once. Another that comes meanwhile waits: it must not start
  /// a lowered worker before.
  ///
  /// - Returns: 0, or what the kernel refused the thread with.
  private func arrange() -> Int32 {
    lock.lock()
    defer { lock.unlock() }
    if isMade { return 0 }
    let error = csb_thread_start(
      { _ in
        Starter.shared.run()
        return nil
      }, nil)
    isMade = error == 0
    return error
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: its thread stayed with the parent, and so did the workers
  /// that it was to start.
  func forgetAll() {
    isMade = false
    first = nil
  }

  private func handOver(_ worker: WorkerPointer) {
    lock.lock()
    // The list of idle workers knows nothing of it yet.
    worker.pointee.nextIdle = first
    first = worker
    word.wrappingAdd(1, ordering: .releasing)  // order: releasing, ST1
    lock.unlock()
    WaitingDoor.wake(wordAddress(word))
  }

  private func run() {
    csb_thread_set_name("sb-starter")
    while true {
      let seen = word.load(ordering: .acquiring)  // order: acquiring, ST1
      while let worker = takeFirst() { start(worker) }
      _ = FutexSleeper.sleep(while: wordAddress(word), is: seen, until: .never)
    }
  }

  private func takeFirst() -> WorkerPointer? {
    lock.lock()
    defer { lock.unlock() }
    guard let worker = first else { return nil }
    first = worker.pointee.nextIdle
    worker.pointee.nextIdle = nil
    return worker
  }

  private func start(_ worker: WorkerPointer) {
    let error = Starter.startThread(worker)
    guard error != 0 else { return }
    // SAFETY: a pool lives as long as the process.
    worker.pointee.pool.takeUnretainedValue().startFailed(worker, error)
  }
}
