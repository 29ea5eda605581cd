// DescriptorLook — what a descriptor says of itself, without waiting.

import CSignalbox

package enum DescriptorLook {
  /// How many bytes can be read now; less than 0 where the kernel does not tell.
  package static func available(_ descriptor: Int32) -> Int64 {
    csb_descriptor_available(descriptor)
  }

  /// How many bytes can be written now; less than 0 where the kernel does not tell.
  package static func space(_ descriptor: Int32) -> Int64 { csb_descriptor_space(descriptor) }

  /// Whether a read would not wait.
  package static func isReadable(_ descriptor: Int32) -> Bool {
    csb_descriptor_poll(descriptor, 0) != 0
  }
}
