// IOTransfer — one call of the system between a descriptor and memory.
//
// Touching    its operation's turn: the memory belongs to the transfer until its result
//             came back to the desk.

import CSignalbox

struct IOTransfer: @unchecked Sendable {  // SAFETY: see Touching.
  let descriptor: Int32
  /// Where; -1 for the descriptor's own place.
  let offset: Int64
  /// How the descriptor is asked not to wait: one of CSB_IO_….
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

  /// How many bytes went over, or -errno.
  func perform() -> Int {
    switch work {
    case .read(let chunk, let size):
      Int(csb_io_read(descriptor, chunk.memory, size, offset, manner))
    case .write(let parts, _):
      Int(
        parts.withUnsafeBufferPointer {
          // Nothing is transferred that is empty: there is a first part.
          csb_io_write(descriptor, $0.baseAddress!, Int32($0.count), offset, manner)
        })
    }
  }
}
