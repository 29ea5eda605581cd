// SignalboxExecutors — moves Swift's concurrency to our pool.

import CSignalbox
import SignalboxDispatch
import SignalboxRuntime

/// The executors of Swift's tasks and actors.
///
/// After adoption, every job of a task or an actor is an item of Signalbox's pool, like the
/// items of queues, and main-actor code runs as items of `DispatchQueue.main`: the process
/// has one pool instead of two.
///
/// ```swift
/// try SignalboxExecutors.adopt()
/// Task { await greet() }
/// dispatchMain()
/// ```
///
/// In a program whose `main` is `async`, set `SIGNALBOX_EXECUTORS=1` in its environment:
/// Signalbox then adopts the executors before `main` begins.
///
/// *Beyond Apple's API.*
public enum SignalboxExecutors {
  // SAFETY: the lock guards only the adoption.
  private static let lock = EngineLock()
  /// Written once, under `lock`, by the adoption; it publishes no other data.
  private static let isSwitched = SingleWriter(false)

  /// Whether tasks and actors run on Signalbox's pool. Use it from any thread.
  public static var isAdopted: Bool { isSwitched.load() }

  /// Runs tasks, actors and the main actor on Signalbox from now on.
  ///
  /// Call it early in `main`, on any thread. Running tasks continue, and move at their next
  /// suspension. Calling it again has no effect. It costs less than a millisecond, once, and
  /// cannot be undone. If a task calls it while the main thread is busy, the call may wait for
  /// up to a tenth of a second to see what that thread does.
  ///
  /// - Throws: ``AdoptionError`` if adoption is not possible; nothing changes then.
  public static func adopt() throws(AdoptionError) { try adopt(by: CurrentRoute.self) }

  /// Adopts the executors by a given route.
  package static func adopt(by route: any ExecutorRoute.Type) throws(AdoptionError) {
    lock.lock()
    defer { lock.unlock() }
    if isAdopted { return }
    if let missing = route.missing { throw .unsupportedCompiler(missing) }
    if MainThread.isTaken { throw .mainThreadIsTaken }
    try route.install()
    isSwitched.store(true)
  }
}

/// Called before `main` if the environment asks for it.
@_cdecl("csb_executors_begin")
func adoptBeforeMain() {
  do { try SignalboxExecutors.adopt() } catch {
    warn("SIGNALBOX_EXECUTORS=1 has no effect: \(error)")
  }
}
