// HookedRoute — the factory's executors, and past them the runtime's hook for most jobs.
//
// A job without an executor, which nearly all are, comes by the hook to `submitJob`: without
// it the runtime finds the executor, keeps it and asks it through its protocol for each job.

#if compiler(>=6.3) && compiler(<6.4)
  import CSignalbox
  import SignalboxRuntime

  enum HookedRoute: ExecutorRoute {
    static var missing: String? { FactoryRoute.missing }

    static func install() throws(AdoptionError) {
      try FactoryRoute.refuseIfTaken()
      // Before the factory, which cannot be taken back: another package may take the hook at any
      // moment. A job that comes in between runs on our pool, and its sleeps on the toolchain's.
      if let holder = csb_toolchain_hook_jobs() {
        throw .executorsAreTaken(by: Backtrace.words(forFunctionAt: UInt(bitPattern: holder)))
      }
      FactoryRoute.replaceExecutors()
    }
  }
#endif
