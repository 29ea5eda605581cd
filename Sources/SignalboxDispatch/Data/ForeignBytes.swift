// ForeignBytes — memory that the program has passed to data, and how to free it.
//
// Touching    immutable. The last reference, on any thread, frees the memory, exactly once.

import CSignalbox
import SignalboxRuntime

final class ForeignBytes {
  private let base: UnsafeRawPointer?
  private let count: Int
  private let deallocator: DispatchData.Deallocator

  init(_ bytes: UnsafeRawBufferPointer, _ deallocator: DispatchData.Deallocator) {
    base = bytes.baseAddress
    count = bytes.count
    self.deallocator = deallocator
  }

  deinit {
    switch deallocator {
    case .free:
      csb_memory_free(UnsafeMutableRawPointer(mutating: base))
    case .unmap:
      guard let base, count > 0 else { return }
      let error = csb_memory_unmap(UnsafeMutableRawPointer(mutating: base), count)
      if error != 0 {
        clientBug(
          "DispatchData's deallocator .unmap: munmap refused \(count) bytes at \(base) with errno "
            + "\(error). Pass the address that mmap returned, not one inside the mapping.")
      }
    case .custom(let queue, let work):
      (queue ?? .global()).push(ClosureItem.make(work, flags: [], group: nil))
    }
  }
}
