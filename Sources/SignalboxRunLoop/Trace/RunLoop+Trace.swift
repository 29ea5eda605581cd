// RunLoop+Trace — the steps of loops, told as they are taken.
//
// Touching    `subscription`: under `lock`.

import SignalboxRuntime

extension RunLoop {
  /// One step of one loop.
  ///
  /// *Beyond Apple's API.*
  public struct TraceStep: Sendable, CustomStringConvertible {
    /// Which loop.
    public let loop: CFRunLoop
    /// The mode in which it runs.
    public let mode: RunLoop.Mode
    let step: LoopStep

    /// The number of the step in the sequence that Apple's "Run Loops" gives, from 1 to 10.
    public var number: Int { Int(description.prefix { $0 != " " }) ?? 0 }

    /// The step's number, and what happens, in the words of that sequence.
    public var description: String { step.words }
  }

  /// Who is told of each step that any loop takes, or `nil` for nobody.
  ///
  /// ```swift
  /// RunLoop.trace = { print($0.mode.rawValue, $0) }
  /// ```
  ///
  /// It is called on the loop's thread, within the step: it must not run a loop, nor wait. One
  /// that is set while loops run may miss steps already under way. Nothing is paid while
  /// there is none. Any thread may set it.
  ///
  /// *Beyond Apple's API.*
  public static var trace: (@Sendable (TraceStep) -> Void)? {
    get { LoopRegistry.shared.trace.handler }
    set { LoopRegistry.shared.trace.handler = newValue }
  }
}

/// Who is told: the registry's, whose part in a fork has the lock.
final class LoopTrace: Sendable {
  typealias Handler = @Sendable (RunLoop.TraceStep) -> Void

  let lock = EngineLock()
  // SAFETY: read and written under `lock`.
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

  /// On the thread that takes the step, within it.
  private static func step(of event: ProbeEvent) -> RunLoop.TraceStep? {
    guard let raw = UnsafeRawPointer(bitPattern: event.object),
      let step = LoopStep(number: event.detail)
    else { return nil }
    // SAFETY: the loop that takes the step keeps the mode in which it runs.
    let mode = Unmanaged<LoopMode>.fromOpaque(raw).takeUnretainedValue()
    return RunLoop.TraceStep(loop: mode.loop, mode: RunLoop.Mode(mode.name), step: step)
  }
}

extension CFRunLoop {
  /// Says that the loop has come to a step: to its observers, if any are told of it, and to
  /// who listens. Notes it for reports.
  @inline(__always)
  func tell(_ step: LoopStep, _ mode: LoopMode) {
    // order: relaxed; a note, for reports.
    lastStep.store(UInt8(truncatingIfNeeded: step.number), ordering: .relaxed)
    if Probe.hearsOfLoops { tellListeners(step, mode) }
    if let activity = step.activity, mode.hasObservers(of: activity) {
      callObservers(activity, mode)
    }
  }

  @inline(never)
  private func tellListeners(_ step: LoopStep, _ mode: LoopMode) {
    Probe.runLoopStep(mode.resource, step.number)
  }
}
