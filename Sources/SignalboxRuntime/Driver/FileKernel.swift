// FileKernel — what the table of watched files asks of the kernel, so that a test can
// play it.
//
// Sources     inotify(7), inotify_add_watch(2).

import CSignalbox

/// An event as the kernel told it.
package struct FileEvent: Sendable {
  /// The number of the watch it is about.
  package let number: Int32
  package let bits: UInt32
  /// Whether it is about an entry of the directory that is watched.
  package let isNamed: Bool

  package init(_ number: Int32, _ bits: UInt32, isNamed: Bool = false) {
    self.number = number
    self.bits = bits
    self.isNamed = isNamed
  }
}

/// What inotify(7) calls them.
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
  /// Adds to what a watch asks for, instead of replacing it.
  package static let add: UInt32 = 0x2000_0000
  package static let directory: UInt32 = 0x4000_0000

  static let entries = create | delete | movedFrom | movedTo

  /// What to ask for.
  static func asking(for interest: FileNews) -> UInt32 {
    // Never nothing, which the kernel refuses.
    var bits = deleteSelf
    if interest.contains(.modified) { bits |= modify }
    if interest.contains(.attributes) { bits |= attributes }
    if interest.contains(.entries) { bits |= entries }
    if interest.contains(.removals) { bits |= delete }
    if interest.contains(.moved) { bits |= moveSelf }
    return bits
  }

  /// What an event says.
  static func news(_ event: FileEvent) -> FileNews {
    let bits = event.bits
    var news: FileNews = []
    if event.isNamed {
      // What happens to an entry that stays is no news of the directory.
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
  /// Makes what tells of files: a descriptor, or -errno.
  func open() -> Int32

  /// The number of the watch, or -errno. A file that is watched has one number.
  func add(_ notifier: Int32, _ descriptor: Int32, _ place: FileWatch.Place, _ bits: UInt32)
    -> Int32
  func remove(_ notifier: Int32, _ number: Int32)

  /// Takes what has come, without waiting.
  ///
  /// - Returns: how many events were written; none where nothing more is there.
  func read(_ notifier: Int32, into events: UnsafeMutableBufferPointer<FileEvent>) -> Int
  func close(_ notifier: Int32)

  // As the driver's.
  func watch(_ watch: DescriptorWatch) -> Int32
  func arm(_ watch: DescriptorWatch)
  func unwatch(_ watch: DescriptorWatch)
}

/// The real one.
final class InotifyKernel: FileKernel {
  // SAFETY: the driver owns the table, and the table this; set before either is used.
  nonisolated(unsafe) unowned var driver: Driver!

  func open() -> Int32 { csb_inotify_create() }

  func add(_ notifier: Int32, _ descriptor: Int32, _ place: FileWatch.Place, _ bits: UInt32)
    -> Int32
  {
    csb_inotify_add(notifier, descriptor, place == .surroundings ? 1 : 0, bits)
  }

  func remove(_ notifier: Int32, _ number: Int32) {
    // Refused where the kernel has given the number up itself: that is as good.
    _ = csb_inotify_remove(notifier, number)
  }

  func read(_ notifier: Int32, into events: UnsafeMutableBufferPointer<FileEvent>) -> Int {
    withUnsafeTemporaryAllocation(of: csb_file_event.self, capacity: Int(CSB_FILE_EVENTS)) {
      let count = csb_inotify_read(notifier, $0.baseAddress!, Int32(min($0.count, events.count)))
      // EBADF: closed by the program, which the driver tells of.
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
