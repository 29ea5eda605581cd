// DescriptorLook — queries the state of a descriptor without waiting.

import CSignalbox

package enum DescriptorLook {
  /// The number of bytes that can be read now; negative if the kernel does not know.
  package static func available(_ descriptor: Int32) -> Int64 {
    csb_descriptor_available(descriptor)
  }

  /// Whether the next byte is urgent. The kernel then says that 0 bytes are available,
  /// whatever follows the urgent byte.
  package static func isAtUrgentByte(_ descriptor: Int32) -> Bool {
    csb_descriptor_is_at_mark(descriptor) != 0
  }

  /// The number of bytes that can be written now; negative if the kernel does not know.
  package static func space(_ descriptor: Int32) -> Int64 { csb_descriptor_space(descriptor) }

  /// The events of `interest` for which the descriptor is ready now.
  package static func readiness(_ descriptor: Int32, for interest: Readiness) -> Readiness {
    EpollBits.readiness(UInt32(bitPattern: csb_descriptor_poll(descriptor)), for: interest)
  }
}
