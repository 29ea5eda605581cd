// Heap — what the allocator reports about the memory that it has handed out.
//
// `mallinfo2` is looked up at run time because its header is not in the `Glibc` module.
// (`malloc_info` is no alternative: it counts flag bits as bytes.)

import Glibc

/// The bytes that the allocator has handed out in all arenas and not received back. Chunks in a
/// thread's cache count as handed out; tests switch that cache off with `GLIBC_TUNABLES`.
func bytesInUse() -> Int {
  let information = mallinfo2()
  return withUnsafeBytes(of: information) { bytes in
    func word(_ position: Int) -> Int {
      bytes.load(fromByteOffset: position * MemoryLayout<Int>.size, as: Int.self)
    }
    // The fifth word is the separately mapped memory, the eighth the memory in use in the
    // arenas.
    return word(4) + word(7)
  }
}

// The function returns a structure of ten words that has no name here. A C function returns
// such a large structure through a pointer from its caller, so a larger structure works as
// well.
private typealias MallocInformation = @convention(c) () -> rusage

private let mallinfo2: MallocInformation = {
  precondition(MemoryLayout<rusage>.size >= 10 * MemoryLayout<Int>.size)
  guard let symbol = dlsym(nil, "mallinfo2") else { fail("this C library has no mallinfo2") }
  // SAFETY: the symbol has this signature.
  return unsafeBitCast(symbol, to: MallocInformation.self)
}()
