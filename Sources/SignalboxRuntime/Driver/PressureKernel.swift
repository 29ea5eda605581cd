// PressureKernel — what the watch over memory pressure asks of the kernel, so that a test
// can play it.

import CSignalbox

package protocol PressureKernel: AnyObject, Sendable {
  /// What stands before the paths of the kernel's files; empty for the real ones.
  var root: String { get }
  /// The clock, in nanoseconds.
  var now: UInt64 { get }

  /// Has the kernel tell of pressure: a descriptor to be watched, or -errno.
  func open(_ path: String, trigger: String) -> Int32
  /// A descriptor for reading, or -errno.
  func open(_ path: String) -> Int32
  /// What a file says now; nil if it cannot be read.
  func read(_ descriptor: Int32) -> String?
  func close(_ descriptor: Int32)

  // As the driver's.
  func watch(_ watch: DescriptorWatch) -> Int32
  func arm(_ watch: DescriptorWatch)
  func unwatch(_ watch: DescriptorWatch)

  /// Has `timeIsUp` called at `deadline`, or a little later. Not called again before it was.
  func setTimer(_ deadline: UInt64, for pressure: MemoryPressure)
}

/// The real one.
final class LinuxPressureKernel: PressureKernel {
  // SAFETY: the driver owns the watch over pressure, and that owns this; set before either
  // is used.
  nonisolated(unsafe) unowned var driver: Driver!
  let root = ""
  // SAFETY: see `setTimer`.
  private nonisolated(unsafe) let cell: UnsafeMutablePointer<Cell>

  /// The timer, and whom it is for.
  private struct Cell {
    var timer: TimerNode
    // SAFETY: it owns the cell's owner.
    var pressure: Unmanaged<MemoryPressure>?
  }

  /// Nobody needs to be told of the end of pressure to the second.
  private static var leeway: UInt64 { 1_000_000_000 }

  init() {
    cell = .allocate(capacity: 1)
    let timer = TimerNode(.never) { raw in
      // SAFETY: the timer is the first field of a cell.
      raw.assumingMemoryBound(to: Cell.self).pointee.pressure?._withUnsafeGuaranteedRef {
        $0.timeIsUp()
      }
    }
    cell.initialize(to: Cell(timer: timer, pressure: nil))
  }

  deinit { cell.deallocate() }

  var now: UInt64 { Clock.uptime.now }

  func open(_ path: String, trigger: String) -> Int32 { csb_pressure_open(path, trigger) }
  func open(_ path: String) -> Int32 { csb_file_open(path) }
  func close(_ descriptor: Int32) { csb_descriptor_close(descriptor) }

  func read(_ descriptor: Int32) -> String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { bytes in
      let count = csb_file_read_again(descriptor, bytes.baseAddress!, bytes.count)
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  func watch(_ watch: DescriptorWatch) -> Int32 { driver.watch(watch) }
  func arm(_ watch: DescriptorWatch) { driver.arm(watch) }
  func unwatch(_ watch: DescriptorWatch) { driver.unwatch(watch) }

  func setTimer(_ deadline: UInt64, for pressure: MemoryPressure) {
    // SAFETY: see `Cell`; nobody else uses the cell while no timer is set.
    cell.pointee.pressure = .passUnretained(pressure)
    cell.pointee.timer.set(
      Deadline(.uptime, deadline), leeway: LinuxPressureKernel.leeway)
    // SAFETY: the timer is the first field.
    driver.arm(UnsafeMutableRawPointer(cell).assumingMemoryBound(to: TimerNode.self))
  }
}
