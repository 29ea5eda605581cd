// FileWatch — one party's interest in what happens to one file.
//
// The file is the one that a descriptor refers to, whatever its name is and whether or not
// it still has one. News are hints to check the file: they are no more precise than the kernel's
// events, and several may be reported as one.
//
// Touching    `file`: under the lock of the table that holds the watch. The rest never
//             changes.

/// What happened to a file.
package struct FileNews: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The file was written to or truncated.
  package static var modified: FileNews { FileNews(rawValue: 1) }
  /// The mode, owner, times, extended attributes or number of names changed. The last
  /// name may be gone.
  package static var attributes: FileNews { FileNews(rawValue: 2) }
  /// Directories only: an entry was added, removed or renamed.
  package static var entries: FileNews { FileNews(rawValue: 4) }
  /// Directories only: a subdirectory was removed.
  package static var removals: FileNews { FileNews(rawValue: 8) }
  /// The file has another name, or is in another directory.
  package static var moved: FileNews { FileNews(rawValue: 16) }
  /// The file no longer exists. No further events of it follow.
  package static var gone: FileNews { FileNews(rawValue: 32) }
  /// The file system of the file was unmounted. No further events of the file
  /// follow.
  package static var unmounted: FileNews { FileNews(rawValue: 64) }
  /// The kernel lost events: anything may have happened to the file.
  package static var uncertain: FileNews { FileNews(rawValue: 128) }

  /// The events that every watch receives, whatever its interest.
  static var always: FileNews { [.gone, .unmounted, .uncertain] }
}

/// The client of a watch.
package protocol FileWatchClient: AnyObject, Sendable {
  /// Something happened to the file. The poller calls this outside all locks, and the
  /// client must not wait. If an event was on its way, this call may be made once
  /// more after the watch was removed.
  func fileHasNews(_ watch: FileWatch, _ news: FileNews)
}

package final class FileWatch: @unchecked Sendable {  // SAFETY: see Touching.
  package enum Target: Sendable {
    /// The file itself.
    case itself
    /// The directory that contains the file at the moment of registration.
    case parent
  }

  /// The client keeps the descriptor open as long as the watch is registered.
  package let descriptor: Int32
  package let target: Target
  package let interest: FileNews
  /// The identity of the file, if the client knows it.
  let identity: FileIdentity?
  let client: any FileWatchClient
  var file: WatchedFile?

  package init(
    _ descriptor: Int32, _ target: Target = .itself, for interest: FileNews,
    identity: FileIdentity? = nil, client: any FileWatchClient
  ) {
    self.descriptor = descriptor
    self.target = target
    self.interest = interest
    self.identity = identity
    self.client = client
  }
}

/// A file with at least one watch. The kernel has one number for it.
///
/// Touching: everything under the lock of its table.
final class WatchedFile {
  let number: Int32
  let identity: FileIdentity?
  var watches: [FileWatch]
  /// The events that the kernel was asked to report.
  var bits: UInt32
  /// Whether the kernel still reports events of the file.
  var isAlive = true
  /// The events found so far in the batch of events that is being read.
  var news: FileNews = []

  init(_ number: Int32, _ watch: FileWatch, _ bits: UInt32) {
    self.number = number
    self.bits = bits
    identity = watch.identity
    watches = [watch]
  }
}
