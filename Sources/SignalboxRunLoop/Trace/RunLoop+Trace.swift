// RunLoop+Trace — reports the steps of loops as they are taken.
//
// Touching    `subscription`: under `lock`.

import SignalboxDiagnostics
import SignalboxRuntime

extension RunLoop {
  /// One step of one loop.
  ///
  /// *Beyond Apple's API.*
  public struct TraceStep: Sendable, CustomStringConvertible {
    /// The loop.
    public let loop: CFRunLoop
    /// The mode in which the loop runs.
    public let mode: RunLoop.Mode
    let step: LoopStep

    /// The number of the step in the sequence of Apple's "Run Loops", from 1 to 10.
    public var number: Int { Int(description.prefix { $0 != " " }) ?? 0 }

    /// The step's number and a description of the step.
    public var description: String { step.words }
  }

  /// Called with each step that any loop takes, or `nil` for no reports.
  ///
  /// ```swift
  /// RunLoop.trace = { print($0.mode.rawValue, $0) }
  /// ```
  ///
  /// The closure runs on the loop's thread, within the step: it must not run a loop or wait. If
  /// you set it while loops run, it may miss steps that are already under way. It costs nothing
  /// while it is `nil`. Set it from any thread.
  ///
  /// *Beyond Apple's API.*
  public static var trace: (@Sendable (TraceStep) -> Void)? {
    get { LoopRegistry.shared.trace.handler }
    set { LoopRegistry.shared.trace.handler = newValue }
  }
}

/// Holds the handler. It belongs to the registry, whose fork handlers take the lock.
final class LoopTrace: Sendable {
  typealias Handler = @Sendable (RunLoop.TraceStep) -> Void

  let lock = EngineLock()
  // SAFETY: only used under `lock`.
  private nonisolated(unsafe) var subscription: (id: Int, handler: Handler)?

  var handler: Handler? {
    get { lock.withLock { subscription }?.handler }
    set {
      let new = newValue.map { handler in
        let id = ProbeSubscribers.shared.subscribe(to: [.runLoopStep]) { event in
          guard let step = LoopTrace.step(of: event) else { return }
          handler(step)
        }
        return (id: id, handler: handler)
      }
      let old = lock.withLock {
        let old = subscription
        subscription = new
        return old
      }
      if let old { ProbeSubscribers.shared.unsubscribe(old.id) }
    }
  }

  /// Call on the thread that takes the step, during the step.
  private static func step(of event: ProbeEvent) -> RunLoop.TraceStep? {
    guard let raw = UnsafeRawPointer(bitPattern: event.object),
      let step = LoopStep(number: event.detail)
    else { return nil }
    // SAFETY: the loop that takes the step keeps its current mode alive.
    let mode = Unmanaged<LoopMode>.fromOpaque(raw).takeUnretainedValue()
    return RunLoop.TraceStep(loop: mode.loop, mode: RunLoop.Mode(mode.name), step: step)
  }
}

extension CFRunLoop {
  /// Announces that the loop has reached a step, to the step's observers and to trace
  /// subscribers. Records the step for reports.
  @inline(__always)
  func tell(_ step: LoopStep, _ mode: LoopMode) {
    lastStep.store(UInt8(truncatingIfNeeded: step.number))
    if Probe.wantsLoops { tellListeners(step, mode) }
    if let activity = step.activity, mode.hasObservers(of: activity) {
      callObservers(activity, mode)
    }
  }

  @inline(never)
  private func tellListeners(_ step: LoopStep, _ mode: LoopMode) {
    Probe.runLoopStep(mode.resource, step.number)
  }
}
