// LazyStatics — the static properties of this module that the Swift runtime initializes on first
// use.
//
// The first thread that reads such a property initializes it while it holds a lock of the Swift
// runtime. A child that is forked at that moment blocks forever at its own first read. So a process
// reads all of them before it forks.
//
// Invariants  I1  The list is complete: `lint-lazy-statics` compares it with the properties that
//                 the compiler initializes on first use.
//             I2  No initializer here takes a lock or waits.
// Rejected    computed properties: they suit constants only, and the module's constants already are
//             computed properties. The others have an identity (a lock, an atomic, a registry).

enum LazyStatics {
  static func force() {
    forceWaits()
    forceThreads()
    forceInitialized(Probe.installed)
    forceInitialized(Fork.rehearsed)
    forceInitialized(Fork.renewing)
  }

  private static func forceWaits() {
    forceInitialized(WaitRegistry.shared)
    forceInitialized(LongWait.delay)
    forceInitialized(LongWait.watchesPool)
    forceInitialized(ReaderBlocks.first)
    forceInitialized(TypeName.lock)
  }

  private static func forceThreads() {
    forceInitialized(CommonNodes.all)
    forceInitialized(Starter.shared)
    forceInitialized(ProcessPriority.kept)
    forceInitialized(ThreadRefusal.open)
    forceInitialized(ThreadRefusal.warning)
    forceInitialized(ThreadRegistry.shared)
    forceInitialized(ThreadEvents.shared)
    forceInitialized(MainThreadUse.isNoted)
  }
}

/// Initializes a lazy static, or waits for the thread that is initializing it: reading it as an
/// argument is enough.
@inline(never)
package func forceInitialized<T: ~Copyable>(_ value: borrowing T) {}
