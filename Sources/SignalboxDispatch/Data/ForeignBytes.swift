// ForeignBytes — memory that the program has passed to data, and how to free it.
//
// Touching    immutable. The last reference, on any thread, frees the memory, exactly once.

import CSignalbox
import SignalboxRuntime

/// How to free memory that was passed to data, once no value needs it.
package enum DataDestructor {
  /// The program keeps the memory for ever.
  case none
  case free
  case unmap
  /// Submitted to the queue, or to the global queue of the default class if it is nil.
  case closure(DispatchQueue?, () -> Void)
  /// The same for a C function.
  case call(DispatchQueue?, FunctionCall)

  init(_ deallocator: DispatchData.Deallocator) {
    switch deallocator {
    case .free: self = .free
    case .unmap: self = .unmap
    case .custom(let queue, let work): self = .closure(queue, work)
    }
  }
}

final class ForeignBytes {
  private let base: UnsafeRawPointer?
  private let count: Int
  private let destructor: DataDestructor

  init(_ bytes: UnsafeRawBufferPointer, _ destructor: DataDestructor) {
    base = bytes.baseAddress
    count = bytes.count
    self.destructor = destructor
  }

  deinit {
    switch destructor {
    case .none: break
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
    case .closure(let queue, let work):
      (queue ?? .global()).push(ClosureItem.make(work, flags: [], group: nil))
    case .call(let queue, let call):
      (queue ?? .global()).submit(call)
    }
  }
}
