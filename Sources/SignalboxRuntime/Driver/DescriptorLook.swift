// DescriptorLook — what a descriptor says of itself, without waiting.

import CSignalbox

package enum DescriptorLook {
  /// How many bytes can be read now; less than 0 where the kernel does not tell.
  package static func available(_ descriptor: Int32) -> Int64 {
    csb_descriptor_available(descriptor)
  }

  /// Whether an urgent byte is next: the kernel then says that 0 bytes are available,
  /// whatever follows it.
  package static func isAtUrgentByte(_ descriptor: Int32) -> Bool {
    csb_descriptor_is_at_mark(descriptor) != 0
  }

  /// How many bytes can be written now; less than 0 where the kernel does not tell.
  package static func space(_ descriptor: Int32) -> Int64 { csb_descriptor_space(descriptor) }

  /// What it is ready for now, to one who is interested in `interest`.
  package static func readiness(_ descriptor: Int32, for interest: Readiness) -> Readiness {
    EpollBits.readiness(UInt32(bitPattern: csb_descriptor_poll(descriptor)), for: interest)
  }
}
