// MemoryPressureSource — the source for memory pressure.
//
// Touching    `refused`, `pressure`: written by `install`, before the source is added.

import SignalboxRuntime

final class MemoryPressureSource: SourceCore, PressureClient, @unchecked Sendable {
  // SAFETY: see Touching.
  private let events: DispatchSource.MemoryPressureEvent
  private var pressure: MemoryPressure?
  private var refused: PressureRefusal?

  init(_ events: DispatchSource.MemoryPressureEvent, queue: DispatchQueue?) {
    self.events = events
    super.init(handle: 0, mask: events.rawValue, queue: queue)
  }

  override var kindName: String { "memory-pressure source" }

  override func install() -> Int32 {
    let pressure = Engine.current.driver.pressure
    self.pressure = pressure
    refused = pressure.add(self)
    return refused?.error ?? 0
  }

  override func uninstall() { pressure?.remove(self) }

  override func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered: the kernel does not report memory pressure: "
      + (refused?.text ?? "errno \(error)")
  }

  func pressureIs(_ level: PressureLevel) {
    let event = DispatchSource.MemoryPressureEvent(level)
    if events.contains(event) { merge(or: event.rawValue) }
  }
}

extension DispatchSource.MemoryPressureEvent {
  fileprivate init(_ level: PressureLevel) {
    self =
      switch level {
      case .normal: .normal
      case .warning: .warning
      case .critical: .critical
      }
  }
}
