// HookedRoute — the factory's executors, and past them the runtime's hook for most jobs.
//
// A job without an executor, which nearly all are, comes by the hook to `submitJob`: without
// it the runtime finds the executor, keeps it and asks it through its protocol for each job.

#if compiler(>=6.3) && compiler(<6.4)
  import CSignalbox

  enum HookedRoute: ExecutorRoute {
    static var missing: String? { FactoryRoute.missing }

    static func install() {
      FactoryRoute.install()
      csb_toolchain_hook_jobs()
    }
  }
#endif
