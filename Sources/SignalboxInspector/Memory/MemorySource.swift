// MemorySource — the memory of a process, or an image of it.

package protocol MemorySource {
  /// Copies as many bytes as the buffer holds. Returns 0 or an errno: EFAULT if any of them is not
  /// mapped.
  func copy(from address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int32
}

/// Memory into which a tool writes its requests.
package protocol WritableMemory: MemorySource {
  /// Returns 0 or an errno, as `copy` does.
  func write(_ bytes: [UInt8], at address: UInt64) -> Int32
}
