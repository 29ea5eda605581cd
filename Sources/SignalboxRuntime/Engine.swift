// Engine — the pools and the driver, behind one pointer.
//
// Created on first use. A test may install another one before anything runs.

import CSignalbox

package final class Engine: Sendable {
  /// The workers of normal priority.
  package let pool: Pool
  /// The workers of the lower tiers.
  private let utility: Pool
  private let background: Pool
  package let driver: Driver
  /// The objects that control descriptors.
  package let descriptorOwners = DescriptorOwners()

  package init(pool: Pool, driver: Driver) {
    self.pool = pool
    self.driver = driver
    utility = Pool(on: pool.machine, ceiling: pool.ceiling, tier: .utility)
    background = Pool(on: pool.machine, ceiling: pool.ceiling, tier: .background)
    pool.stand(above: utility)
    utility.stand(above: background)
  }

  /// Calls `body` with the pool whose workers run items of this urgency. It takes no reference to
  /// the engine or the pool, because all threads would contend for that reference count.
  @inline(__always)
  package static func withPool<R>(for urgency: Urgency, _ body: (Pool) -> R) -> R {
    // SAFETY: an engine in use is never released, and neither is what it holds.
    let engine: Unmanaged<Engine> =
      csb_engine_load().map { .fromOpaque($0) } ?? .passUnretained(makeDefault())
    return engine._withUnsafeGuaranteedRef { engine in
      switch Tier(of: urgency) {
      case .normal: body(engine.pool)
      case .utility: body(engine.utility)
      case .background: body(engine.background)
      }
    }
  }

  /// Raises the kernel priority of the worker with this thread number until the end of its current
  /// runnable. Does nothing if no worker of a lower tier has the number, or if the process lacks
  /// the right. Call it when a thread of higher priority waits for that worker.
  package func boost(_ thread: UInt32) {
    utility.boost(thread)
    background.boost(thread)
  }

  /// The engine in use.
  package static var current: Engine {
    if let raw = csb_engine_load() {
      // SAFETY: `install` retained it for the life of the process.
      return Unmanaged<Engine>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0 }
    }
    return makeDefault()
  }

  /// The driver of the engine in use, unretained: the driver lives as long as the process.
  package static var driver: Unmanaged<Driver> {
    // SAFETY: an engine in use is never released, and neither is what it holds.
    guard let raw = csb_engine_load() else { return .passUnretained(makeDefault().driver) }
    return Unmanaged<Engine>.fromOpaque(raw)._withUnsafeGuaranteedRef {
      .passUnretained($0.driver)
    }
  }

  /// The pool of normal priority, also unretained.
  package static var normalPool: Unmanaged<Pool> {
    withPool(for: .standard) { .passUnretained($0) }
  }

  /// The engine in use, if anything has been submitted yet.
  package static var existing: Engine? {
    // SAFETY: see `driver`.
    csb_engine_load().map { Unmanaged<Engine>.fromOpaque($0).takeUnretainedValue() }
  }

  @inline(never)
  private static func makeDefault() -> Engine {
    if csb_engine_is_prohibited() != 0 {
      clientBug(
        "work was submitted after _dispatch_prohibit_transition_to_multithreaded(true): call it "
          + "with false first.")
    }
    let pool = Pool(on: EngineSettings.machineWidth, ceiling: EngineSettings.ceiling)
    return install(Engine(pool: pool, driver: Driver()))
  }

  /// Makes `engine` the one in use, unless there is already one.
  ///
  /// - Returns: the engine in use.
  @discardableResult
  package static func install(_ engine: Engine) -> Engine {
    Fork.joinRuntime()
    // SAFETY: balanced below if another engine was installed first; otherwise kept forever.
    let retained = Unmanaged.passRetained(engine)
    let installed = csb_engine_install(retained.toOpaque())
    if installed != retained.toOpaque() { retained.release() } else { engine.showPools() }
    // SAFETY: the installed engine is never released.
    return Unmanaged<Engine>.fromOpaque(installed).takeUnretainedValue()
  }
}

extension Engine {
  // MARK: All pools

  /// Locks the pools from the highest tier to the lowest.
  func lockPoolsForFork() {
    pool.lock.lock()
    utility.lock.lock()
    background.lock.lock()
  }

  func unlockPoolsAfterFork() {
    background.lock.unlockBeforeLook()
    utility.lock.unlockBeforeLook()
    pool.lock.unlock()
  }

  /// Called in the parent after all locks are released: moves the runnables that arrived during
  /// the fork to the run queues.
  func emptyInboxesAfterFork() {
    utility.emptyInbox()
    background.emptyInbox()
  }

  /// Tries again to start the threads that the system had refused.
  ///
  /// - Returns: false if it could not ask a pool of a lower tier, because the pool's lock was held.
  func callForRefusedWork() -> Bool {
    driver.callForRefused()
    let asked = (pool.reconsider(), utility.reconsider(), background.reconsider())
    return asked.0 && asked.1 && asked.2
  }
}

/// The size of the engine according to the environment.
package enum EngineSettings {
  /// The number of workers that run at once: `SIGNALBOX_WORKERS` if it is set, otherwise
  /// what the machine gives this process. Reads some files.
  package static var machineWidth: MachineWidth {
    MachineWidth(fixed: number("SIGNALBOX_WORKERS"))
  }

  /// The maximum number of workers that exist while any of them runs:
  /// `SIGNALBOX_MAX_WORKERS`, or 512.
  package static var ceiling: Int { number("SIGNALBOX_MAX_WORKERS") ?? 512 }

  /// A positive number from the environment. Warns about any other value and ignores it.
  private static func number(_ name: String) -> Int? {
    guard let raw = csb_environment(name) else { return nil }
    let text = String(cString: raw)
    if let number = Int(text), number > 0 { return number }
    warn("\(name)=\(text) is ignored: it must be a positive number.")
    return nil
  }
}
