// LongJobTests — a long job that runs its loop between chunks can be asked to stop, and then
// cleans up; a thread that is forced to exit does not clean up.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct LongJobTests {
  /// The job's progress, for other threads.
  private final class Job: @unchecked Sendable {
    // SAFETY: only the job's own thread uses `isStopped`.
    var isStopped = false
    let chunks = EventCounter("chunks")
    let cleanUps = EventCounter("clean-ups")
  }

  private static func start(
    _ job: Job, between: @escaping @Sendable () -> Void
  ) -> JoinableThread<Void, Never> {
    let thread = JoinableThread {
      // The loop needs something to wait for.
      let keeper = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      defer {
        CFRunLoopSourceInvalidate(keeper)
        job.cleanUps.increment()
      }
      while !job.isStopped {
        job.chunks.increment()
        between()
        RunLoop.current.run(mode: .default, before: .distantPast)
      }
    }
    thread.start()
    return thread
  }

  @Test func stopMessageEndsALongJobBetweenTwoChunksAfterCleanUp() throws {
    let job = Job()
    let thread = Self.start(job) {}
    try job.chunks.wait(for: 3)
    let last = Guarded(0)
    // A wait would give up if the job's thread did not run its loop for a second.
    try Thread.perform(on: thread.thread, waitUntilDone: false) {
      job.isStopped = true
      last.withValue { $0 = job.chunks.value }
    }
    thread.join()
    #expect(job.cleanUps.value == 1)
    #expect(job.chunks.value == last.current, "no chunk begins after the message")
  }

  @Test func forcedExitSkipsTheCleanUp() throws {
    let job = Job()
    let thread = Self.start(job) { if job.chunks.value == 3 { Thread.exit() } }
    thread.join()
    #expect(job.chunks.value == 3)
    #expect(job.cleanUps.value == 0)
  }
}
