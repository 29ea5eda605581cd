// FileKernel — the interface between the table of watched files and the kernel, so that a test can
// play the kernel.
//
// Sources     inotify(7), inotify_add_watch(2).

import CSignalbox

/// An event as the kernel reports it.
package struct FileEvent: Sendable {
  /// The number of the watch that the event concerns.
  package let number: Int32
  package let bits: UInt32
  /// Whether the event concerns an entry of the watched directory.
  package let isNamed: Bool

  package init(_ number: Int32, _ bits: UInt32, isNamed: Bool = false) {
    self.number = number
    self.bits = bits
    self.isNamed = isNamed
  }
}

/// The bits of inotify(7), named as on that manual page.
package enum InotifyBits {
  package static let modify: UInt32 = 0x2
  package static let attributes: UInt32 = 0x4
  package static let movedFrom: UInt32 = 0x40
  package static let movedTo: UInt32 = 0x80
  package static let create: UInt32 = 0x100
  package static let delete: UInt32 = 0x200
  package static let deleteSelf: UInt32 = 0x400
  package static let moveSelf: UInt32 = 0x800
  package static let unmount: UInt32 = 0x2000
  package static let overflow: UInt32 = 0x4000
  package static let ignored: UInt32 = 0x8000
  /// Adds to the events that a watch requests, instead of replacing them.
  package static let add: UInt32 = 0x2000_0000
  package static let directory: UInt32 = 0x4000_0000

  static let entries = create | delete | movedFrom | movedTo

  /// The bits to request.
  static func asking(for interest: FileNews) -> UInt32 {
    // The kernel refuses an empty set, so request at least this.
    var bits = deleteSelf
    if interest.contains(.modified) { bits |= modify }
    if interest.contains(.attributes) { bits |= attributes }
    if interest.contains(.entries) { bits |= entries }
    if interest.contains(.removals) { bits |= delete }
    if interest.contains(.moved) { bits |= moveSelf }
    return bits
  }

  /// What an event reports about the file.
  static func news(_ event: FileEvent) -> FileNews {
    let bits = event.bits
    var news: FileNews = []
    if event.isNamed {
      // If an entry changes but keeps its name and place, the directory has not changed.
      if bits & entries != 0 { news.insert(.entries) }
      if bits & delete != 0 && bits & directory != 0 { news.insert(.removals) }
      return news
    }
    if bits & modify != 0 { news.insert(.modified) }
    if bits & attributes != 0 { news.insert(.attributes) }
    if bits & moveSelf != 0 { news.insert(.moved) }
    if bits & deleteSelf != 0 { news.insert(.gone) }
    if bits & unmount != 0 { news.insert(.unmounted) }
    return news
  }
}

package protocol FileKernel: AnyObject, Sendable {
  /// Creates the notifier. Returns its descriptor, or -errno.
  func open() -> Int32

  /// Adds or changes a watch. Returns its number, or -errno. A watched file has one
  /// number.
  func add(_ notifier: Int32, _ descriptor: Int32, _ target: FileWatch.Target, _ bits: UInt32)
    -> Int32
  func remove(_ notifier: Int32, _ number: Int32)

  /// Reads the events that have arrived, without waiting.
  ///
  /// - Returns: the number of events written; 0 if no event has arrived.
  func read(_ notifier: Int32, into events: UnsafeMutableBufferPointer<FileEvent>) -> Int
  func close(_ notifier: Int32)

  // These do what the driver's functions of the same names do.
  func watch(_ watch: DescriptorWatch) -> Int32
  func arm(_ watch: DescriptorWatch)
  func unwatch(_ watch: DescriptorWatch)
}

/// The kernel's inotify.
final class InotifyKernel: FileKernel {
  // SAFETY: the driver owns the table, and the table owns this object; set before use.
  nonisolated(unsafe) unowned var driver: Driver!

  func open() -> Int32 { csb_inotify_create() }

  func add(_ notifier: Int32, _ descriptor: Int32, _ target: FileWatch.Target, _ bits: UInt32)
    -> Int32
  {
    csb_inotify_add(notifier, descriptor, target == .parent ? 1 : 0, bits)
  }

  func remove(_ notifier: Int32, _ number: Int32) {
    // The kernel refuses if it has already given the number up itself. That is harmless.
    _ = csb_inotify_remove(notifier, number)
  }

  func read(_ notifier: Int32, into events: UnsafeMutableBufferPointer<FileEvent>) -> Int {
    withUnsafeTemporaryAllocation(of: csb_file_event.self, capacity: Int(CSB_FILE_EVENTS)) {
      let count = csb_inotify_read(notifier, $0.baseAddress!, Int32(min($0.count, events.count)))
      // EBADF: the program closed the descriptor. The driver reports that.
      guard count > 0 else { return 0 }
      for index in 0..<count {
        let event = $0[index]
        events[index] = FileEvent(event.watch, event.bits, isNamed: event.named != 0)
      }
      return count
    }
  }

  func close(_ notifier: Int32) { csb_descriptor_close(notifier) }

  func watch(_ watch: DescriptorWatch) -> Int32 { driver.watch(watch) }
  func arm(_ watch: DescriptorWatch) { driver.arm(watch) }
  func unwatch(_ watch: DescriptorWatch) { driver.unwatch(watch) }
}
