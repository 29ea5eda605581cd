// MemoryPressureTests — memory-pressure sources, without making memory short, because tests share
// the machine. Tests with a played kernel cover the levels.

import CSignalbox
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Memory-pressure sources", .guarded)
struct MemoryPressureTests {
  typealias Event = DispatchSource.MemoryPressureEvent

  /// Whether this kernel measures pressure and accepts a trigger from this process.
  static let isMeasured: Bool = {
    let descriptor = csb_pressure_open("/proc/pressure/memory", "some 200000 2000000")
    if descriptor >= 0 { csb_descriptor_close(descriptor) }
    return descriptor >= 0
  }()

  @Test func theEventsHaveApplesValues() {
    #expect([Event.normal, .warning, .critical, .all].map(\.rawValue) == [1, 2, 4, 7])
  }

  @Test func theSourceHasItsMask() {
    let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
    #expect(source.mask == [.warning, .critical])
    #expect(source.data == [])
    let plain: any DispatchSourceProtocol = source
    #expect(plain.handle == 0)
    source.cancel()
    source.activate()
  }

  @Test(
    .enabled(
      if: isMeasured, "/proc/pressure/memory accepts no trigger from this process"))
  func aSourceIsRegisteredAndEnds() throws {
    for _ in 0..<3 {
      let (begun, ended) = (Gate("begun"), Gate("ended"))
      let source = DispatchSource.makeMemoryPressureSource(eventMask: .all)
      source.setEventHandler {}
      source.setRegistrationHandler { begun.open() }
      source.setCancelHandler { ended.open() }
      source.activate()
      try begun.wait()
      #expect(!source.isCancelled)
      source.cancel()
      try ended.wait()
    }
  }
}
