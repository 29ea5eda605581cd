// TakenExecutors — adoption beside a package that has installed its own executors in the
// runtime.

import CSystemCalls
import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

let takenScenarios: [String: ProgramScenario] = [
  "adopting-where-the-hook-is-taken": { way in
    report("taken", csc_take_job_hook() != 0)
    reportRefusal()
    let before = csc_hooked_jobs()
    way.run {
      report("task", isOnOurPool())
      report("keptItsPlace", csc_hooked_jobs() > before)
      await report("main", MainActor.run { isOnFirstThread() })
    }
  },

  "taking-the-hook-after-adoption": { way in
    way.begin()
    report("taken", csc_take_job_hook() != 0)
    way.run { report("task", isOnOurPool()) }
  },

  "adopting-where-a-factory-is": { way in
    #if compiler(>=6.3) && compiler(<6.4)
      _createExecutors(factory: EventLoops.self)
    #endif
    reportRefusal()
    way.run {
      report("task", isOnOurPool())
      let before = EventLoops.jobs.count
      await Task.yield()
      report("keptItsPlace", EventLoops.jobs.count > before)
    }
  },
]

private func reportRefusal() {
  for _ in 0..<2 {
    do {
      try SignalboxExecutors.adopt()
      report("thrown", "no")
    } catch { report("thrown", error.description) }
  }
  report("adopted", SignalboxExecutors.isAdopted)
}

#if compiler(>=6.3) && compiler(<6.4)
  /// The executors of a server: each job has a thread of its own here.
  private enum EventLoops: ExecutorFactory {
    static let jobs = Tally()

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { loop }

    private static let main = Main()
    private static let loop = Loop()

    final class Loop: TaskExecutor {
      func enqueue(_ job: consuming ExecutorJob) {
        EventLoops.jobs.increment()
        let job = UnownedJob(job)
        startThread {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
      }
    }

    final class Main: MainExecutor {
      func enqueue(_ job: consuming ExecutorJob) { fail("nothing comes here") }
      func run() { fail("no async main") }
      func stop() { fail("no async main") }
    }
  }
#else
  /// No executors can be replaced.
  private enum EventLoops { static let jobs = Tally() }
#endif
