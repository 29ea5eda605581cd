// IOTransfer — one system call that moves bytes between a descriptor and memory.
//
// Touching    its operation's turn: the memory belongs to the transfer until the result has come
//             back to the descriptor queue.

import CSignalbox

struct IOTransfer: @unchecked Sendable {  // SAFETY: see Touching.
  let descriptor: Int32
  /// The position; -1 for the descriptor's current position.
  let offset: Int64
  /// How to keep the descriptor from waiting: one of CSB_IO_….
  let manner: Int32
  let work: Work

  enum Work {
    case read(IOChunk, size: Int)
    case write([csb_io_part], size: Int)
  }

  var size: Int {
    switch work {
    case .read(_, let size), .write(_, let size): size
    }
  }

  /// Makes the call.
  ///
  /// - Returns: the number of bytes moved, or -errno.
  func perform() -> Int {
    switch work {
    case .read(let chunk, let size):
      Int(csb_io_read(descriptor, chunk.memory, size, offset, manner))
    case .write(let parts, _):
      Int(
        parts.withUnsafeBufferPointer {
          // No transfer is empty, so there is a first part.
          csb_io_write(descriptor, $0.baseAddress!, Int32($0.count), offset, manner)
        })
    }
  }
}
