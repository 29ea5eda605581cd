// PressureKernel — the interface between the watch over memory pressure and the kernel, so that a
// test can play the kernel.

import CSignalbox

package protocol PressureKernel: AnyObject, Sendable {
  /// A prefix for the paths of the kernel's files; empty for the real ones.
  var root: String { get }
  /// The uptime clock, in nanoseconds.
  var now: UInt64 { get }

  /// Opens a file and writes a trigger to it. Returns a descriptor to watch, or -errno.
  func open(_ path: String, trigger: String) -> Int32
  /// Opens a file for reading. Returns a descriptor, or -errno.
  func open(_ path: String) -> Int32
  /// The contents of a file; nil if it cannot be read.
  func read(_ descriptor: Int32) -> String?
  func close(_ descriptor: Int32)

  // These do what the driver's functions of the same names do.
  func watch(_ watch: DescriptorWatch) -> Int32
  func arm(_ watch: DescriptorWatch)
  func unwatch(_ watch: DescriptorWatch)

  /// Calls `timeIsUp` at `deadline` or a little later. The caller does not set the timer
  /// again before that call.
  func setTimer(_ deadline: UInt64, for pressure: MemoryPressure)
}

/// The kernel's files and the driver's timers.
final class LinuxPressureKernel: PressureKernel {
  // SAFETY: the driver owns the watch over pressure, which owns this object; set before
  // either is used.
  nonisolated(unsafe) unowned var driver: Driver!
  let root = ""
  // SAFETY: see `setTimer`.
  private nonisolated(unsafe) let cell: UnsafeMutablePointer<Cell>

  /// The timer, and the object to call.
  private struct Cell {
    var timer: TimerNode
    // SAFETY: the object owns the owner of the cell.
    var pressure: Unmanaged<MemoryPressure>?
  }

  /// How late the end of pressure may be reported, in nanoseconds.
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
    // SAFETY: see `Cell`; while no timer is set, no other code uses the cell.
    cell.pointee.pressure = .passUnretained(pressure)
    cell.pointee.timer.set(
      Deadline(.uptime, deadline), leeway: LinuxPressureKernel.leeway)
    // SAFETY: the timer is the first field.
    driver.arm(UnsafeMutableRawPointer(cell).assumingMemoryBound(to: TimerNode.self))
  }
}
