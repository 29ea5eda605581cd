// FileWatch — one party's interest in what happens to one file.
//
// The file is the one that a descriptor stands for, whatever it is called and whether it
// still has a name. News are hints to look: they are told apart no further than the
// kernel tells them apart, and several may be told as one.
//
// Touching    `file`: under the lock of the table it is in. The rest never changes.

/// What happened to a file.
package struct FileNews: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// It was written to, or cut.
  package static var modified: FileNews { FileNews(rawValue: 1) }
  /// Its mode, owner, times, extended attributes or number of names changed. The last
  /// of its names may be gone.
  package static var attributes: FileNews { FileNews(rawValue: 2) }
  /// Of a directory: an entry came, went, or was renamed.
  package static var entries: FileNews { FileNews(rawValue: 4) }
  /// Of a directory: another one in it was removed.
  package static var removals: FileNews { FileNews(rawValue: 8) }
  /// It has another name, or is in another directory.
  package static var moved: FileNews { FileNews(rawValue: 16) }
  /// It does not exist any more. No more news of it follow.
  package static var gone: FileNews { FileNews(rawValue: 32) }
  /// Its file system was unmounted. No more news of it follow.
  package static var unmounted: FileNews { FileNews(rawValue: 64) }
  /// News were lost: anything may have happened to it.
  package static var uncertain: FileNews { FileNews(rawValue: 128) }

  /// What is told even if nobody asked.
  static var always: FileNews { [.gone, .unmounted, .uncertain] }
}

/// Whom a watch tells.
package protocol FileWatchClient: AnyObject, Sendable {
  /// Something happened to the file. The poller calls it, outside all locks; it must not
  /// wait. It may come once more after the watch was removed, if it was on its way.
  func fileHasNews(_ watch: FileWatch, _ news: FileNews)
}

package final class FileWatch: @unchecked Sendable {  // SAFETY: see Touching.
  package enum Place: Sendable {
    /// The file itself.
    case itself
    /// The directory that it is in at the moment of registration.
    case surroundings
  }

  /// Open as long as the watch is registered.
  package let descriptor: Int32
  package let place: Place
  package let interest: FileNews
  /// Which file it is, where the client knows.
  let identity: FileIdentity?
  let client: any FileWatchClient
  var file: WatchedFile?

  package init(
    _ descriptor: Int32, _ place: Place = .itself, for interest: FileNews,
    identity: FileIdentity? = nil, client: any FileWatchClient
  ) {
    self.descriptor = descriptor
    self.place = place
    self.interest = interest
    self.identity = identity
    self.client = client
  }
}

/// A file that somebody watches: what the kernel has one number for.
///
/// Touching: everything under the lock of its table.
final class WatchedFile {
  let number: Int32
  let identity: FileIdentity?
  var watches: [FileWatch]
  /// What the kernel was asked for.
  var bits: UInt32
  /// Whether the kernel still tells of it.
  var isAlive = true
  /// What was found in the events that are being looked through.
  var news: FileNews = []

  init(_ number: Int32, _ watch: FileWatch, _ bits: UInt32) {
    self.number = number
    self.bits = bits
    identity = watch.identity
    watches = [watch]
  }
}
