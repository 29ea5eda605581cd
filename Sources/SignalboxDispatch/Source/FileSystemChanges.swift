// FileSystemChanges — translates the kernel's events, and two snapshots of a file, into Apple's
// events.
//
// The kernel reports a write but not growth, and changed attributes but not which. So the source
// looks at the file when events occur, and compares it with the last snapshot. If events were
// lost, only the comparison remains; it may then report more than happened, never less.

import SignalboxRuntime

/// A snapshot of a file.
struct FileLook: Equatable {
  var status: FileStatus
  /// The path of the file; nil if the source does not need it or the kernel does not report it.
  var path: String?

  /// This snapshot, without changes that `news` does not cover: a write that the kernel has not
  /// reported yet is compared when it is reported.
  func told(by news: FileNews, since before: FileLook) -> FileLook {
    if !news.isDisjoint(with: [.modified, .uncertain]) { return self }
    var look = self
    look.status.size = before.status.size
    return look
  }
}

enum FileSystemChanges {
  /// - Parameters:
  ///   - news: the events that the kernel has reported since the last snapshot.
  ///   - before: the last snapshot.
  ///   - now: the current snapshot, as far as the events cover it; nil if the file can no
  ///     longer be examined.
  static func events(
    _ news: FileNews, from before: FileLook, to now: FileLook?
  ) -> DispatchSource.FileSystemEvent {
    var events = byNews(news)
    guard let now else { return news.contains(.uncertain) ? events.union(unknown) : events }
    if now.status.links != before.status.links {
      events.insert(.link)
      if now.status.links == 0 { events.insert(.delete) }
    }
    if now.status.kind == .regular && now.status.size > before.status.size {
      events.insert(.extend)
    }
    if news.contains(.uncertain) { events.formUnion(byLook(before, now)) }
    return events
  }

  private static func byNews(_ news: FileNews) -> DispatchSource.FileSystemEvent {
    var events: DispatchSource.FileSystemEvent = []
    if !news.isDisjoint(with: [.modified, .entries]) { events.insert(.write) }
    if news.contains(.attributes) { events.insert(.attrib) }
    if news.contains(.moved) { events.insert(.rename) }
    if news.contains(.gone) { events.insert(.delete) }
    if news.contains(.unmounted) { events.insert(.revoke) }
    return events
  }

  /// The events that may have happened to a file that cannot be examined.
  private static var unknown: DispatchSource.FileSystemEvent { [.write, .attrib, .rename] }

  private static func byLook(
    _ before: FileLook, _ now: FileLook
  ) -> DispatchSource.FileSystemEvent {
    var events: DispatchSource.FileSystemEvent = []
    let isSettled = before.status.isSettled
    if now.status.modified != before.status.modified || now.status.size != before.status.size
      || !isSettled
    {
      events.insert(.write)
    }
    if now.status.changed != before.status.changed || !isSettled { events.insert(.attrib) }
    if now.path != before.path { events.insert(.rename) }
    return events
  }

  /// The events to request from the kernel.
  static func interest(
    for mask: DispatchSource.FileSystemEvent, in kind: FileStatus.Kind
  ) -> FileNews {
    var interest: FileNews = []
    let isDirectory = kind == .directory
    if !mask.isDisjoint(with: [.write, .extend]) {
      interest.insert(isDirectory ? .entries : .modified)
    }
    if !mask.isDisjoint(with: [.attrib, .link, .delete]) { interest.insert(.attributes) }
    // Each subdirectory adds a link to its parent.
    if isDirectory && mask.contains(.link) { interest.insert(.entries) }
    // After a move, another parent directory reports the removal.
    if mask.contains(.rename) || isDirectory && mask.contains(.delete) { interest.insert(.moved) }
    return interest
  }
}
