// DeadlineDescriptor — a descriptor that becomes readable at a point of the uptime clock, for
// an event loop of another kind to wait for.
//
// Whoever waits reads its eight bytes, or sets it anew; either takes back that it was readable.
//
// Touching    the descriptor: never changes. `deadline`: one thread.

import CSignalbox

package struct DeadlineDescriptor: ~Copyable {
  package let descriptor: Int32
  /// When it becomes readable; the largest number for never.
  private var deadline = UInt64.max

  /// Traps where the system refuses it.
  package init() {
    descriptor = DescriptorSleeper.checked(
      csb_timerfd_create(Int32(Clock.uptime.rawValue)), "timerfd_create")
  }

  deinit { csb_descriptor_close(descriptor) }

  /// Becomes readable at a deadline and not before. Costs a system call if that is another
  /// one than was set last.
  ///
  /// - Parameter new: on the uptime clock; the largest number for never.
  package mutating func set(_ new: UInt64) {
    if new == deadline { return }
    deadline = new
    // For the kernel 0 is never, and what lies beyond its signed range is refused.
    let kernels = new == .max ? 0 : min(max(new, 1), UInt64(Int64.max))
    let error = csb_timerfd_arm(descriptor, kernels)
    if error != 0 {
      clientBug(
        "timerfd_settime failed (\(errorText(error))) on a descriptor of Signalbox's own: the "
          + "program has closed descriptors that are not its own.")
    }
  }

  /// It was readable, and has been read.
  package mutating func noteRead() { deadline = .max }
}
