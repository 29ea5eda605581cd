// MainThreadExecutor — the main actor's executor, which submits to `DispatchQueue.main`.

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) import _Concurrency
  import CSignalbox
  import SignalboxDispatch
  import SignalboxRuntime

  final class MainThreadExecutor: MainExecutor {
    func enqueue(_ job: UnownedJob) {
      DispatchQueue.main.submit(
        JobItem.make(job, MainThreadExecutor.runJob, flags: Item.Flags(job.urgency)))
    }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    private static let runJob: Item.Function = { raw in
      JobItem.take(raw).job.run { $0.runSynchronously(on: MainActor.sharedUnownedExecutor) }
    }

    // MARK: An async main

    /// Called at the end of an `async` main's first part: the thread is ours from now on.
    func run() { MainQueueDrain.shared.runForEver(withLoop: true) }

    func stop() {
      clientBug(
        "the main executor was told to stop: an async main runs it until the process exits.")
    }

    // MARK: Isolation

    /// Returns true on the main thread, otherwise nil; an assertion then calls `checkIsolated()`,
    /// whose message gives details.
    func isIsolatingCurrentContext() -> Bool? { csb_thread_is_main() != 0 ? true : nil }

    func checkIsolated() {
      if csb_thread_is_main() != 0 { return }
      let current = DispatchQueue.currentLabel.map { "on the queue \"\($0)\"" } ?? "on no queue"
      clientBug(
        "code that claims to be isolated to the main actor runs \(current), on a thread other than "
          + "the main thread: call it with await, or from an item of DispatchQueue.main.")
    }
  }
#endif
