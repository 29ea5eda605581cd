// Engine — the pools and the driver, behind one pointer.
//
// Made at the first use. A test may install another one before anything runs.

import CSignalbox

package final class Engine: Sendable {
  /// The workers of normal priority.
  package let pool: Pool
  /// The workers of the lower tiers.
  private let utility: Pool
  private let background: Pool
  package let driver: Driver

  package init(pool: Pool, driver: Driver) {
    self.pool = pool
    self.driver = driver
    utility = Pool(width: pool.width, ceiling: pool.ceiling, tier: .utility)
    background = Pool(width: pool.width, ceiling: pool.ceiling, tier: .background)
    pool.stand(above: utility)
    utility.stand(above: background)
  }

  /// The pool whose workers run what is so urgent.
  @inline(__always)
  package func pool(for urgency: Urgency) -> Pool {
    urgency > .utility ? pool : lowerPool(for: urgency)
  }

  @inline(never)
  private func lowerPool(for urgency: Urgency) -> Pool {
    urgency > .background ? utility : background
  }

  /// Raises the kernel priority of the worker that is this thread, where the
  /// process may, until the end of what it runs: someone of higher priority waits
  /// for it.
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

  @inline(never)
  private static func makeDefault() -> Engine {
    let width = EngineSettings.width
    return install(
      Engine(pool: Pool(width: width, ceiling: EngineSettings.ceiling), driver: Driver()))
  }

  /// Makes `engine` the one in use, unless there is one already.
  ///
  /// - Returns: the one in use.
  @discardableResult
  package static func install(_ engine: Engine) -> Engine {
    // SAFETY: balanced below if another one came first, else for ever.
    let retained = Unmanaged.passRetained(engine)
    let installed = csb_engine_install(retained.toOpaque())
    if installed != retained.toOpaque() { retained.release() }
    // SAFETY: the installed engine is never released.
    return Unmanaged<Engine>.fromOpaque(installed).takeUnretainedValue()
  }
}

/// What the environment says about the engine's size.
package enum EngineSettings {
  /// Workers while nothing blocks: the processors this process may use, or
  /// fewer by `SIGNALBOX_WORKERS`.
  package static var width: Int {
    let processors = Int(csb_processor_count())
    return min(processors, number("SIGNALBOX_WORKERS") ?? processors)
  }

  /// Workers in all while any still runs, by `SIGNALBOX_MAX_WORKERS`.
  package static var ceiling: Int { number("SIGNALBOX_MAX_WORKERS") ?? 512 }

  /// A positive number from the environment. Anything else is named and
  /// ignored.
  private static func number(_ name: String) -> Int? {
    guard let raw = csb_environment(name) else { return nil }
    let text = String(cString: raw)
    if let number = Int(text), number > 0 { return number }
    complain("\(name)=\(text) is ignored: it must be a positive number")
    return nil
  }
}
