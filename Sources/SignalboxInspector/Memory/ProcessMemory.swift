// ProcessMemory — the memory of another process, copied by the kernel.
//
// Sources     process_vm_readv(2), process_vm_writev(2).

import CSignalboxTool

package struct ProcessMemory: WritableMemory {
  private let process: Int32

  package init(of process: Int32) { self.process = process }

  package func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard let start = buffer.baseAddress else { return 0 }
    return csb_tool_copy_memory(process, UInt(address), start, UInt(buffer.count))
  }

  package func write(_ bytes: [UInt8], at address: UInt64) -> Int32 {
    csb_tool_write_memory(process, UInt(address), bytes, UInt(bytes.count))
  }
}
