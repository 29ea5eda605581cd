// DeadlineDescriptor — a descriptor that becomes readable at a time of the uptime clock, so
// that a foreign event loop can wait for it.
//
// The waiting thread either reads the descriptor's eight bytes or sets another deadline; both make
// the descriptor unreadable.
//
// Touching    the descriptor: never changes. `deadline`: one thread.

import CSignalbox

package struct DeadlineDescriptor: ~Copyable {
  package let descriptor: Int32
  /// When the descriptor becomes readable; the largest number for never.
  private var deadline = UInt64.max

  /// Traps if the system refuses the descriptor.
  package init() {
    descriptor = DescriptorSleeper.checked(
      csb_timerfd_create(Int32(Clock.uptime.rawValue)), "timerfd_create")
  }

  deinit { csb_descriptor_close(descriptor) }

  /// Makes the descriptor readable at a deadline and not before. Costs a system call
  /// unless the deadline is the one that was set last.
  ///
  /// - Parameter new: on the uptime clock; the largest number for never.
  package mutating func set(_ new: UInt64) {
    if new == deadline { return }
    deadline = new
    // The kernel takes 0 for never, and refuses values beyond its signed range.
    let kernels = new == .max ? 0 : min(max(new, 1), UInt64(Int64.max))
    let error = csb_timerfd_arm(descriptor, kernels)
    if error != 0 {
      clientBug(
        "timerfd_settime failed (\(errorText(error))) on a descriptor of Signalbox's own: the "
          + "program has closed descriptors that are not its own.")
    }
  }

  /// Call this after the descriptor was readable and has been read.
  package mutating func noteRead() { deadline = .max }
}
