// Heap — what the allocator has handed out, as the allocator itself tells it.
//
// `mallinfo2` is looked up at run time: its header is not in the `Glibc` module.
// (`malloc_info` is no way round: it counts flag bits as bytes.)

import Glibc

/// Bytes of memory handed out by the allocator and not yet returned, in all
/// arenas. Chunks in a thread's cache count as handed out: tests switch that
/// cache off with `GLIBC_TUNABLES`.
func bytesInUse() -> Int {
  let information = mallinfo2()
  return withUnsafeBytes(of: information) { bytes in
    func word(_ position: Int) -> Int {
      bytes.load(fromByteOffset: position * MemoryLayout<Int>.size, as: Int.self)
    }
    // The fifth word is what was mapped on its own, the eighth what of the
    // arenas is in use.
    return word(4) + word(7)
  }
}

// The structure of ten words that the function returns has no name here. A C
// function returns so large a structure through a pointer from its caller, so
// that a larger one serves as well.
private typealias MallocInformation = @convention(c) () -> rusage

private let mallinfo2: MallocInformation = {
  precondition(MemoryLayout<rusage>.size >= 10 * MemoryLayout<Int>.size)
  guard let symbol = dlsym(nil, "mallinfo2") else { fail("this C library has no mallinfo2") }
  // SAFETY: the symbol has this signature.
  return unsafeBitCast(symbol, to: MallocInformation.self)
}()
