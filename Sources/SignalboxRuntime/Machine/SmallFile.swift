// SmallFile — reads one of the kernel's files as a whole.

import CSignalbox

package enum SmallFile {
  package enum Contents: Equatable {
    case text(String)
    /// The file does not exist, or the thing that it described no longer does.
    case missing
    case unreadable(errno: Int32)
  }

  /// Longer files are cut. The list of mounts of a machine with thousands of containers
  /// is a few megabytes long.
  private static let longest = 1 << 24

  package static func read(_ path: String) -> Contents {
    var capacity = 1 << 13
    while true {
      var size = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        size = csb_file_read(path, buffer.baseAddress!, capacity)
        count = max(size, 0)
      }
      switch Int32(truncatingIfNeeded: -size) {
      case ENOENT, ENOTDIR, ENODEV: return .missing
      case 1...: return .unreadable(errno: Int32(-size))
      default: break
      }
      if size < capacity || capacity >= longest {
        return .text(String(decoding: bytes, as: UTF8.self))
      }
      capacity *= 8
    }
  }
}
