// FileStatus — the state of a file at one moment.

import CSignalbox

/// Identifies a file among those that exist at the same time.
package struct FileIdentity: Equatable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable { case regular, directory, other }

  package var identity: FileIdentity
  package var kind: Kind
  /// Whether the file is in no file system with names: a pipe, a socket, an eventfd.
  package var isNameless = false
  package var links: UInt64
  package var size: Int64
  /// When the contents last changed, and when anything about the file last changed, in
  /// nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64
  /// When this status was read.
  package var taken: Int64

  package init(
    identity: FileIdentity, kind: Kind, links: UInt64, size: Int64, modified: Int64,
    changed: Int64, taken: Int64
  ) {
    self.identity = identity
    self.kind = kind
    self.links = links
    self.size = size
    self.modified = modified
    self.changed = changed
    self.taken = taken
  }

  /// The coarsest resolution of file times, in nanoseconds: two seconds, on FAT.
  private static var granularity: Int64 { 2_000_000_000 }

  /// Whether a change after this status was read would show in the file's times.
  package var isSettled: Bool { changed &+ FileStatus.granularity < taken }

  /// The status of the file that a descriptor refers to, or the errno of the call that
  /// failed. On a network file system this may take long.
  package static func read(_ descriptor: Int32) -> (status: FileStatus?, error: Int32) {
    var raw = csb_file_status()
    let error = csb_file_status_read(descriptor, &raw)
    if error != 0 { return (nil, error) }
    var status = FileStatus(
      identity: FileIdentity(device: raw.device, inode: raw.inode), kind: kind(raw.mode),
      links: raw.links, size: raw.size, modified: raw.modified, changed: raw.changed,
      taken: raw.taken)
    status.isNameless = raw.nameless != 0
    return (status, 0)
  }

  private static func kind(_ mode: UInt32) -> Kind {
    switch mode & 0o170000 {
    case 0o100000: .regular
    case 0o040000: .directory
    default: .other
    }
  }

  /// The current path of the file that a descriptor refers to; nil if the kernel does not
  /// know.
  package static func path(_ descriptor: Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
      let length = csb_descriptor_path(descriptor, bytes.baseAddress!, bytes.count)
      guard length > 0 else { return nil }
      let path = String(decoding: UnsafeRawBufferPointer(bytes)[..<length], as: UTF8.self)
      // The kernel appends this to the path of a file without a name.
      let mark = " (deleted)"
      return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }
  }
}
