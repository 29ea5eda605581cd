// RealPressureTests — triggers of the real kernel, and a full inotify queue.
//
// The kernel measures a shortage of processors just like a shortage of memory, and a shortage of
// processors harms nothing. So the tests put the files of the one in the place of the other's.

import CSignalbox
import Glibc
import SignalboxTestSupport
import Synchronization
import Testing

@testable import SignalboxRuntime

/// The kernel's files about processors, the driver in use, and no timer.
private final class ProcessorPressureKernel: PressureKernel {
  let root = ""
  let timers = EventLog<UInt64>()
  let isOpen = Guarded<Set<Int32>>([])
  static let file = "/proc/pressure/cpu"

  var now: UInt64 { Clock.uptime.now }

  func open(_ path: String, trigger: String) -> Int32 {
    if path != "/proc/pressure/memory" { return -ENOENT }
    let descriptor = csb_pressure_open(ProcessorPressureKernel.file, trigger)
    if descriptor >= 0 { isOpen.withValue { _ = $0.insert(descriptor) } }
    return descriptor
  }

  func open(_ path: String) -> Int32 { -ENOENT }
  func read(_ descriptor: Int32) -> String? { nil }

  func close(_ descriptor: Int32) {
    isOpen.withValue { _ = $0.remove(descriptor) }
    csb_descriptor_close(descriptor)
  }

  func watch(_ watch: DescriptorWatch) -> Int32 { Engine.current.driver.watch(watch) }
  func arm(_ watch: DescriptorWatch) { Engine.current.driver.arm(watch) }
  func unwatch(_ watch: DescriptorWatch) { Engine.current.driver.unwatch(watch) }
  func setTimer(_ deadline: UInt64, for pressure: MemoryPressure) { timers.append(deadline) }
}

@Suite("Real pressure", .guarded) struct RealPressureTests {
  static let isMeasured: Bool = {
    let descriptor = csb_pressure_open(
      ProcessorPressureKernel.file, PressureTrigger.warning)
    if descriptor >= 0 { csb_descriptor_close(descriptor) }
    return descriptor >= 0
  }()

  @Test(.enabled(if: isMeasured, "/proc/pressure/cpu accepts no trigger from this process"))
  func aTriggerSignalsPressure() throws {
    let kernel = ProcessorPressureKernel()
    let pressure = MemoryPressure(kernel)
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    #expect(kernel.isOpen.current.count == 2)
    let isOver = Guarded(false)
    // More busy threads than processors.
    let busy = try (0..<2 * Int(csb_processor_count())).map { _ in
      try PlainThread { while !isOver.current {} }
    }
    defer { isOver.withValue { $0 = true } }
    let told = try client.told.wait(forCount: 1)
    isOver.withValue { $0 = true }
    for thread in busy { try thread.join() }
    #expect(told[0] > .normal)
    #expect(kernel.timers.count >= 1)
    pressure.remove(client)
    #expect(kernel.isOpen.current == [])
  }
}
