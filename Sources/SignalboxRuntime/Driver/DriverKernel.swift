// DriverKernel — what the driver asks of the kernel, so that a test can play it.

import CSignalbox

/// Something became ready, or a clock's time has come.
package struct KernelEvent: Sendable {
  /// Given at the registration.
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
  /// The clock whose time has come.
  var clock: Clock? {
    isTimer ? Clock(rawValue: .init(truncatingIfNeeded: token)) : nil
  }
  var descriptor: Int32 { Int32(truncatingIfNeeded: token) }
  var generation: UInt32 { UInt32(truncatingIfNeeded: token >> 32) }
}

/// One set of descriptors and one timer for each clock.
package protocol DriverKernel: AnyObject, Sendable {
  /// Makes what is needed, once.
  ///
  /// - Returns: the errno of what was refused.
  func open() -> Int32
  /// The system's name of the call that was refused.
  var refusedCall: StaticString { get }
  /// Gives it back.
  func close()

  func now(_ clock: Clock) -> UInt64
  /// Has `wait` return once `clock` shows `deadline`, which follows the clock's steps.
  /// Overrides what was set.
  func set(_ clock: Clock, to deadline: UInt64)

  // Each returns an errno.
  func add(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32
  func change(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32
  func remove(_ descriptor: Int32) -> Int32

  /// Sleeps until something has happened.
  ///
  /// - Returns: how many events were written; 0 when a signal interrupted the sleep.
  func wait(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int
  /// The same without sleeping.
  func look(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int

  /// Has `waitForGuard` return once the uptime shows `deadline`; not before it is set
  /// again, if that is 0. Overrides what was set.
  func setGuard(to deadline: UInt64)
  /// Sleeps until the guard has gone off.
  func waitForGuard()
}
