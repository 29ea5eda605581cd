// HookedRoute — the factory's executors, plus the runtime's hook for most jobs.
//
// A job without an executor, which is the usual case, reaches `submitJob` through the hook.
// Without the hook, the runtime does this for each job: it looks up the executor, retains the
// executor, and calls the protocol.

#if compiler(>=6.3) && compiler(<6.4)
  import CSignalbox
  import SignalboxRuntime

  enum HookedRoute: ExecutorRoute {
    static var missing: String? { FactoryRoute.missing }

    static func install() throws(AdoptionError) {
      try FactoryRoute.refuseIfTaken()
      // Set the hook before the factory, because setting the factory cannot be undone, and another
      // package may set the hook at any moment. A job that arrives in between runs on our pool, but
      // its sleeps run on the toolchain's executor.
      if let holder = csb_toolchain_hook_jobs() {
        throw .executorsAreTaken(by: Backtrace.words(forFunctionAt: UInt(bitPattern: holder)))
      }
      FactoryRoute.replaceExecutors()
    }
  }
#endif
