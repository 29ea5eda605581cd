// LinuxKernel — epoll, and a timerfd for each clock.
//
// The timerfds are registered as edge-triggered. Setting one again clears its readiness, so
// nothing has to read it.
//
// Touching    `descriptors`, `refusedCall`: `open` writes them under its caller's lock,
//             before any other function is called.

import CSignalbox
import Synchronization

final class LinuxKernel: DriverKernel, @unchecked Sendable {  // SAFETY: see Touching.
  private struct Descriptors {
    var set: Int32 = -1
    var timers: (uptime: Int32, wall: Int32, continuous: Int32) = (-1, -1, -1)
    var guardTimer: Int32 = -1

    func timer(of clock: Clock) -> Int32 {
      switch clock {
      case .uptime: timers.uptime
      case .wall: timers.wall
      case .continuous: timers.continuous
      }
    }
  }
  private var descriptors = Descriptors()

  private(set) var refusedCall: StaticString = ""

  func open() -> Int32 {
    var made = Descriptors()
    let error = make(&made)
    if error == 0 { descriptors = made } else { LinuxKernel.close(made) }
    return error
  }

  private func make(_ made: inout Descriptors) -> Int32 {
    refusedCall = "epoll_create1"
    made.set = csb_epoll_create()
    if made.set < 0 { return -made.set }
    refusedCall = "timerfd_create"
    made.timers = (
      csb_timerfd_create(Int32(Clock.uptime.rawValue)),
      csb_timerfd_create(Int32(Clock.wall.rawValue)),
      csb_timerfd_create(Int32(Clock.continuous.rawValue))
    )
    made.guardTimer = csb_guard_create()
    let least = min(
      made.timers.uptime, made.timers.wall, made.timers.continuous, made.guardTimer)
    if least < 0 { return -least }
    refusedCall = "epoll_ctl"
    for clock in [Clock.uptime, .wall, .continuous] {
      let error = csb_epoll_add(
        made.set, made.timer(of: clock), EpollBits.readable | EpollBits.edge,
        KernelEvent.token(clock))
      if error != 0 { return error }
    }
    return 0
  }

  func close() { LinuxKernel.close(descriptors) }

  private static func close(_ descriptors: Descriptors) {
    closeOne(descriptors.set)
    closeOne(descriptors.timers.uptime)
    closeOne(descriptors.timers.wall)
    closeOne(descriptors.timers.continuous)
    closeOne(descriptors.guardTimer)
  }

  private static func closeOne(_ descriptor: Int32) {
    if descriptor >= 0 { csb_descriptor_close(descriptor) }
  }

  func now(_ clock: Clock) -> UInt64 { clock.now }

  func set(_ clock: Clock, to deadline: UInt64) {
    // A deadline of 0 would disarm the timer; 1 is also in the past. The kernel refuses
    // values beyond its signed range; a timer that late never fires.
    LinuxKernel.arm(descriptors.timer(of: clock), min(max(deadline, 1), UInt64(Int64.max)))
  }

  private static func arm(_ timer: Int32, _ deadline: UInt64) {
    let error = csb_timerfd_arm(timer, deadline)
    if error == 0 { return }
    clientBug(
      "timerfd_settime failed (\(errorText(error))) on a descriptor of Signalbox's own: the program "
        + "has closed descriptors that are not its own. A process that closes all it inherited "
        + "must do so before it uses queues, timers or sources.")
  }

  func setGuard(to deadline: UInt64) { LinuxKernel.arm(descriptors.guardTimer, deadline) }

  func waitForGuard() { csb_guard_wait(descriptors.guardTimer) }

  func add(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32 {
    csb_epoll_add(descriptors.set, descriptor, bits, token)
  }

  func change(_ descriptor: Int32, _ bits: UInt32, _ token: UInt64) -> Int32 {
    csb_epoll_change(descriptors.set, descriptor, bits, token)
  }

  func remove(_ descriptor: Int32) -> Int32 { csb_epoll_remove(descriptors.set, descriptor) }

  func wait(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int {
    wait(events, milliseconds: -1)
  }

  func look(_ events: UnsafeMutableBufferPointer<KernelEvent>) -> Int {
    wait(events, milliseconds: 0)
  }

  private func wait(
    _ events: UnsafeMutableBufferPointer<KernelEvent>, milliseconds: Int32
  ) -> Int {
    withUnsafeTemporaryAllocation(of: csb_epoll_event.self, capacity: events.count) { found in
      let count = csb_epoll_wait(
        descriptors.set, found.baseAddress!, Int32(found.count), milliseconds)
      if count == -EINTR { return 0 }
      if count < 0 { internalBug("epoll_wait failed with errno \(-count)") }
      for index in 0..<Int(count) {
        events[index] = KernelEvent(token: found[index].token, bits: found[index].events)
      }
      return Int(count)
    }
  }
}
