// FileSystemChanges — what the kernel's news and two looks at a file mean in the words of
// Apple's events.
//
// The kernel tells of a write, not of growth; of changed attributes, not of which. So the
// file is looked at when there are news, and compared with how it was at the last look.
// Where news were lost, the comparison alone tells; it may then tell more than happened,
// never less.

import SignalboxRuntime

/// A file as it was when it was looked at last.
struct FileLook: Equatable {
  var status: FileStatus
  /// What it was called; nil where nobody wants to know, or the kernel does not tell.
  var path: String?

  /// This look, as far as `news` speak of what it shows: a write that was not told yet is
  /// left to be compared when it is.
  func told(by news: FileNews, since before: FileLook) -> FileLook {
    if !news.isDisjoint(with: [.modified, .uncertain]) { return self }
    var look = self
    look.status.size = before.status.size
    return look
  }
}

enum FileSystemChanges {
  /// - Parameters:
  ///   - news: what the kernel told since.
  ///   - before: the last look.
  ///   - now: as far as the news speak of it; nil where the file cannot be looked at any
  ///     more.
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

  /// What may have happened to a file that cannot be looked at.
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

  /// Which news to ask for.
  static func interest(
    for mask: DispatchSource.FileSystemEvent, in kind: FileStatus.Kind
  ) -> FileNews {
    var interest: FileNews = []
    let isDirectory = kind == .directory
    if !mask.isDisjoint(with: [.write, .extend]) {
      interest.insert(isDirectory ? .entries : .modified)
    }
    if !mask.isDisjoint(with: [.attrib, .link, .delete]) { interest.insert(.attributes) }
    // A directory within is one more link to it.
    if isDirectory && mask.contains(.link) { interest.insert(.entries) }
    // With its surroundings changes where its removal is told.
    if mask.contains(.rename) || isDirectory && mask.contains(.delete) { interest.insert(.moved) }
    return interest
  }
}
