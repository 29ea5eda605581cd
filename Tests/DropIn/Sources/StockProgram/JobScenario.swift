// JobScenario — jobs that reach Dispatch with their priorities, as from Swift's runtime where the
// library is a `libdispatch.so`.

import CUndeclared
import OnlyFoundation

/// Hands each job on by the name that the runtime looks for.
private final class Forwarder: TaskExecutor {
  let isMain: Bool
  let count = Shared(0)

  init(isMain: Bool) { self.isMain = isMain }

  func enqueue(_ job: UnownedJob) {
    count.change { $0 += 1 }
    dispatch_async_swift_job(
      isMain ? undeclared_main_queue() : undeclared_global_queue(),
      // SAFETY: a job consists of nothing but its address.
      unsafeBitCast(job, to: UnsafeMutableRawPointer.self), UInt32(job.priority.rawValue))
  }
}

func jobs() async {
  for isMain in [false, true] {
    let executor = Forwarder(isMain: isMain)
    for _ in 0..<100 {
      let task = Task(executorPreference: executor) {
        await Task.yield()
        return OnlyFoundation.isMainThread
      }
      expect(await task.value == isMain)
    }
    expect(executor.count.value >= 200)
  }
}
