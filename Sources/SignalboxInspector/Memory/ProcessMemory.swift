// ProcessMemory — the memory of another process, copied by the kernel.
//
// Sources     process_vm_readv(2).

import CSignalboxTool

package struct ProcessMemory: MemorySource {
  private let process: Int32

  package init(of process: Int32) { self.process = process }

  package func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard let start = buffer.baseAddress else { return 0 }
    return csb_tool_copy_memory(process, UInt(address), start, UInt(buffer.count))
  }
}
