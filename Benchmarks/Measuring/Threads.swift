import Glibc
import Synchronization

/// Runs `body` once on each of `count` threads that Dispatch knows nothing of,
/// and returns when all have ended. None begins before all are there: a thread
/// that had a head start would meet no contention.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let work = RacingWork(threads: count, body)
  let threads = (0..<count).map { _ in
    var thread = pthread_t()
    // SAFETY: the retain is balanced by the thread's `takeRetainedValue`.
    let failure = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<RacingWork>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(failure == 0, "pthread_create: errno \(failure)")
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class RacingWork: Sendable {
  private let missing: Atomic<Int>
  private let body: @Sendable () -> Void

  init(threads: Int, _ body: @escaping @Sendable () -> Void) {
    missing = Atomic(threads)
    self.body = body
  }

  func run() {
    // order: relaxed; the gate orders nothing but the start of the race.
    missing.subtract(1, ordering: .relaxed)
    while missing.load(ordering: .relaxed) > 0 { sched_yield() }
    body()
  }
}

/// Starts a thread that sleeps to the end of the process. As long as there is only
/// one thread, the C library's locks are no atomic operations at all; but nobody needs
/// a lock then.
func keepAThreadAsleep() {
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { _ in
      while true { pause() }
    }, nil)
  precondition(error == 0)
}
