// Starter — a thread that starts threads on behalf of threads that must not start any.
//
// A thread passes its nice value on to the threads that it starts, and an unprivileged
// process cannot lower the value again. So a thread of lowered priority never starts a thread
// itself. It hands the worker, or a request for a thread of another kind, to the starter, which has
// the process's priority. The starter is created before the first thread of another priority.
//
// Touching    `first`, `firstRequest`: under `lock`. `word`: changed under `lock`,
//             compared by the kernel. A request: the requesting thread before it hands
//             the request over and after `isDone` is set, the starter in between.
// Ordering    ST1  a hand-over's releasing addition to `word` → the starter's
//                  acquiring load: it then finds the worker in the list.
//             ST2  the starter's releasing store of `isDone` → the requesting
//                  thread's acquiring load: it sees the result.

import CSignalbox
import Synchronization

final class Starter: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = Starter()

  private let lock = EngineLock()
  private let word = Atomic<UInt32>(0)
  private var first: WorkerPointer?
  fileprivate var firstRequest: UnsafeMutablePointer<StartRequest>?
  private var isMade = false

  /// Starts the thread of `worker`, from this thread or from the starter. An error in the
  /// starter goes to the worker's pool.
  ///
  /// - Returns: 0, or the errno with which the kernel refused the thread.
  static func start(_ worker: WorkerPointer) -> Int32 {
    if worker.isLow {
      let error = arrange()
      if error != 0 { return error }
    }
    if startsForThisThread {
      shared.handOver(worker)
      return 0
    }
    return startThread(worker)
  }

  private static func startThread(_ worker: WorkerPointer) -> Int32 {
    let thread = KernelThread(
      body: { raw in
        // SAFETY: the worker, which this thread owns from here on.
        let worker = raw!.assumingMemoryBound(to: Worker.self)
        worker.pointee.pool.takeUnretainedValue().run(worker)
        return nil
      }, context: UnsafeMutableRawPointer(worker))
    return thread.create()
  }

  /// Starts a thread with the process's priority, from this thread or from the starter.
  ///
  /// - Returns: 0, or the errno with which the kernel refused it.
  static func start(_ thread: KernelThread) -> Int32 {
    guard startsForThisThread else { return thread.create() }
    return shared.ask(for: thread)
  }

  /// Creates the starter. Call it before a thread gets another priority.
  ///
  /// - Returns: 0, or the errno with which the kernel refused it.
  static func arrange() -> Int32 { shared.make() }

  /// Whether the starter starts threads in place of this thread.
  static var startsForThisThread: Bool { shared.hasBeenMade && ProcessPriority.isChangedHere }

  private var hasBeenMade: Bool { lock.withLock { isMade } }

  /// Creates the starter once. Another thread that calls this at the same time waits,
  /// because it must not start a lowered worker before the starter exists.
  ///
  /// - Returns: 0, or the errno with which the kernel refused the thread.
  private func make() -> Int32 {
    lock.lock()
    defer { lock.unlock() }
    if isMade { return 0 }
    let thread = KernelThread(
      body: { _ in
        Starter.shared.run()
        return nil
      }, context: nil)
    let error = thread.create()
    isMade = error == 0
    return error
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }

  /// In a forked child: forgets the starter's thread, which stayed with the parent, and
  /// the workers that it had not started.
  func forgetAll() {
    isMade = false
    first = nil
    firstRequest = nil
  }

  private func handOver(_ worker: WorkerPointer) {
    lock.lock()
    // The worker is not in the list of idle workers yet, so the link is free.
    worker.pointee.nextIdle = first
    first = worker
    word.wrappingAdd(1, ordering: .releasing)  // order: releasing, ST1
    lock.unlock()
    FutexSleeper.wake(wordAddress(word))
  }

  /// Makes the starter start a thread, and waits until it has.
  private func ask(for thread: KernelThread) -> Int32 {
    let request = UnsafeMutablePointer<StartRequest>.allocate(capacity: 1)
    request.initialize(to: StartRequest(thread))
    lock.lock()
    request.pointee.next = firstRequest
    firstRequest = request
    word.wrappingAdd(1, ordering: .releasing)  // order: releasing, ST1
    lock.unlock()
    FutexSleeper.wake(wordAddress(word))
    let address = wordAddress(request.pointee.isDone)
    // order: acquiring, ST2
    while request.pointee.isDone.load(ordering: .acquiring) == 0 {
      _ = FutexSleeper.sleep(while: address, is: 0, until: .never)
    }
    let error = request.pointee.error
    request.deinitialize(count: 1)
    request.deallocate()
    return error
  }

  private func run() {
    csb_thread_set_name("sb-starter")
    // The thread that created the starter may have a changed priority: the toolchain's Dispatch,
    // for example, changes the priority of its workers. If the process may not raise priorities, a
    // lower priority stays as it is.
    if ProcessPriority.isChangedHere { _ = ProcessPriority.set(0, onThread: 0) }
    while true {
      let seen = word.load(ordering: .acquiring)  // order: acquiring, ST1
      while let worker = takeFirst() { start(worker) }
      while let request = takeFirstRequest() { answer(request) }
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

  private func takeFirstRequest() -> UnsafeMutablePointer<StartRequest>? {
    lock.lock()
    defer { lock.unlock() }
    guard let request = firstRequest else { return nil }
    firstRequest = request.pointee.next
    return request
  }

  private func answer(_ request: UnsafeMutablePointer<StartRequest>) {
    request.pointee.error = request.pointee.thread.create()
    let address = wordAddress(request.pointee.isDone)
    // The requesting thread may free the request as soon as it sees this; the address is
    // only a key.
    request.pointee.isDone.store(1, ordering: .releasing)  // order: releasing, ST2
    FutexSleeper.wake(address)
  }
}

/// A thread that the starter starts for another thread, which waits for it.
private struct StartRequest: ~Copyable {
  let thread: KernelThread
  let isDone = Atomic<UInt32>(0)
  var error: Int32 = 0
  var next: UnsafeMutablePointer<StartRequest>?

  init(_ thread: KernelThread) { self.thread = thread }
}
