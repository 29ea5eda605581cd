// DriverKernel — the driver's interface to the kernel, so that a test can play the kernel.

import CSignalbox

/// An event of the kernel: a descriptor is ready, or the timer of a clock has expired.
package struct KernelEvent: Sendable {
  /// The value that was passed with the registration.
  let token: UInt64
  let bits: UInt32

  package init(token: UInt64, bits: UInt32) {
    self.token = token
    self.bits = bits
  }

  private static let timerBit: UInt64 = 1 << 63
  static let generationMask: UInt32 = 0x7FFF_FFFF

  static func token(_ descriptor: Int32, _ generation: UInt32) -> UInt64 {
    UInt64(generation & generationMask) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }
  package static func token(_ clock: Clock) -> UInt64 { timerBit | UInt64(clock.rawValue) }

  var isTimer: Bool { token & KernelEvent.timerBit != 0 }
  /// The clock whose timer has expired; nil for a descriptor.
  var clock: Clock? {
    isTimer ? Clock(rawValue: .init(truncatingIfNeeded: token)) : nil
  }
  var descriptor: Int32 { Int32(truncatingIfNeeded: token) }
  var generation: UInt32 { UInt32(truncatingIfNeeded: token >> 32) }
}

/// One set of descriptors, and one timer for each clock.
package protocol DriverKernel: AnyObject, Sendable {
  /// Creates the set and the timers, once.
  ///
  /// - Returns: the errno with which the kernel refused, or 0.
  func open() -> Int32
  /// The name of the system call that was refused.
  var refusedCall: StaticString { get }
  /// Closes the set and the timers.
  func close()

  func now(_ clock: Clock) -> UInt64
  /// Makes `wait` return when `clock` reaches `deadline`, even if the clock is set in the
  /// meantime. Replaces the previous deadline.
  func set(_ clock: Clock, to deadline: UInt64)

  // Each of these returns an errno, or 0.
  func add(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32
  func change(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32
  func remove(_ descriptor: Int32) -> Int32

  /// Sleeps until something has happened.
  ///
  /// - Returns: the number of events written; 0 if a signal interrupted the sleep.
  func wait(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int
  /// Does the same without sleeping.
  func look(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int

  /// Makes `waitForGuard` return when the uptime reaches `deadline`. 0 turns the guard
  /// off. Replaces the previous deadline.
  func setGuard(to deadline: UInt64)
  /// Sleeps until the guard has expired.
  func waitForGuard()
}
