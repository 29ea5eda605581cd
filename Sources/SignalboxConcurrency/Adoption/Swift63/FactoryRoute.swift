// FactoryRoute — Swift 6.3: replaces the executors by giving the runtime a factory.
//
// The runtime's C hooks are not enough: delays and the main executor never reach them.

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) import _Concurrency

  package enum FactoryRoute: ExecutorRoute {
    package static var missing: String? { nil }

    package static func install() throws(AdoptionError) {
      try refuseIfTaken()
      replaceExecutors()
    }

    static func replaceExecutors() {
      if isLaidOutAsKnown(_swift_createJobForTestingOnly(priority: .high) {}) {
        JobLayout.noteKnown()
      }
      _createExecutors(factory: Factory.self)
    }

    /// Throws if the executors are not the runtime's own.
    ///
    /// The first caller to ask for the executors creates them and stores them where ours will
    /// be. If another thread is creating them now, this call waits for that thread, which would
    /// otherwise overwrite ours.
    static func refuseIfTaken() throws(AdoptionError) {
      for executor in [Task.defaultExecutor, MainActor.executor] as [any Executor] {
        let name = String(reflecting: type(of: executor))
        if ["Swift.", "_Concurrency."].contains(where: name.hasPrefix) { continue }
        throw .executorsAreTaken(by: "the executor \(name)")
      }
    }

    private static func isLaidOutAsKnown(_ trial: consuming ExecutorJob) -> Bool {
      let kind = trial.kind.rawValue, priority = trial.priority.rawValue
      let words = trial.withUnsafeExecutorPrivateData { $0 }
      let job = UnownedJob(trial)
      defer { job.runSynchronously(on: .none) }
      return JobLayout.fits(job, schedulersWords: words, kind: kind, priority: priority)
    }

    private struct Factory: ExecutorFactory {
      private static let main = MainThreadExecutor()
      private static let pool = PoolExecutor()

      static var mainExecutor: any MainExecutor { main }
      static var defaultExecutor: any TaskExecutor { pool }
    }
  }
#endif
