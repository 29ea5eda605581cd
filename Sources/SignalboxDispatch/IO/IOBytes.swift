// IOBytes — data to be written: the addresses of its pieces, and the progress.
//
// The pieces are listed once. Searching the data for the position before each call would walk it
// from the beginning, which takes quadratic time in ropes of many pieces.

import CSignalbox

struct IOBytes {
  /// Keeps the pieces in memory.
  private let data: DispatchData
  private var pieces: [csb_io_part] = []
  /// The first piece that is not completely written, and how much of it is written.
  private var index = 0
  private var within = 0
  private(set) var written = 0

  /// The maximum number of pieces in one system call: below the kernel's own limit, and enough
  /// that the cost of the call does not matter.
  private static var mostPieces: Int { 64 }

  init(_ data: DispatchData) {
    self.data = data
    data.enumerateBytes { bytes, _, _ in
      if !bytes.isEmpty {
        pieces.append(csb_io_part(bytes: UnsafeRawPointer(bytes.baseAddress), size: bytes.count))
      }
    }
  }

  var count: Int { data.count }

  /// The bytes that are not written.
  var rest: DispatchData {
    written == 0 ? data : data.subdata(in: written..<data.count)
  }

  /// The next pieces, with at most `size` bytes.
  func next(_ size: Int) -> IOTransfer.Work {
    var parts: [csb_io_part] = []
    var left = size
    var skip = within
    for piece in pieces[index...].prefix(IOBytes.mostPieces) where left > 0 {
      let count = min(piece.size - skip, left)
      parts.append(csb_io_part(bytes: piece.bytes! + skip, size: count))
      left -= count
      skip = 0
    }
    return .write(parts, size: size - left)
  }

  mutating func advance(_ size: Int) {
    written += size
    var left = size
    while left > 0 {
      let rest = pieces[index].size - within
      if left < rest {
        within += left
        return
      }
      left -= rest
      within = 0
      index += 1
    }
  }
}
