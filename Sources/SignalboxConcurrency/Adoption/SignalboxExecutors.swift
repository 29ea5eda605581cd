// SignalboxExecutors — the switch by which Swift's concurrency comes to our pool.
//
// Touching    `isSwitched`: under `lock`, by the one adoption; read by any thread.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime
import Synchronization

/// Where Swift's tasks and actors run.
///
/// Once adopted, every job of a task or an actor is an item of Signalbox's pool, beside those
/// of its queues, and main-actor code is an item of `DispatchQueue.main`: the process has one
/// pool, not two.
///
/// ```swift
/// try SignalboxExecutors.adopt()
/// Task { await greet() }
/// dispatchMain()
/// ```
///
/// In a program whose `main` is `async`, set `SIGNALBOX_EXECUTORS=1` in its environment:
/// the executors are then adopted before `main` begins.
///
/// *Beyond Apple's API.*
public enum SignalboxExecutors {
  // SAFETY: guarded by `lock`, which guards nothing else.
  private static let lock = EngineLock()
  private static let isSwitched = Atomic<Bool>(false)

  /// Whether tasks and actors run on Signalbox's pool. Any thread.
  public static var isAdopted: Bool {
    isSwitched.load(ordering: .relaxed)  // order: relaxed; nothing is read by way of it.
  }

  /// Has tasks, actors and the main actor run on Signalbox from now on.
  ///
  /// Call it early in `main`, on any thread. Tasks that run already go on, and change over
  /// when they next wait. Calling it again does no harm. It costs less than a millisecond,
  /// once, and cannot be taken back. A task that calls it while the main thread is busy may wait
  /// for a tenth of a second, to see where that thread is going.
  ///
  /// - Throws: ``AdoptionError`` where it cannot be done; everything then stays as it was.
  public static func adopt() throws(AdoptionError) { try adopt(by: CurrentRoute.self) }

  /// The same, by a given way.
  package static func adopt(by route: any ExecutorRoute.Type) throws(AdoptionError) {
    lock.lock()
    defer { lock.unlock() }
    if isAdopted { return }
    if let missing = route.missing { throw .unsupportedCompiler(missing) }
    if MainThread.isTaken { throw .mainThreadIsTaken }
    try route.install()
    isSwitched.store(true, ordering: .relaxed)  // order: relaxed; as in `isAdopted`.
  }
}

/// Called before `main` where the environment asks for it.
@c(csb_executors_begin)
func adoptBeforeMain() {
  do { try SignalboxExecutors.adopt() } catch {
    complain("SIGNALBOX_EXECUTORS=1 has no effect: \(error)")
  }
}
