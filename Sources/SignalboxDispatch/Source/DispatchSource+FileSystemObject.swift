// DispatchSource+FileSystemObject — sources that tell what happens to a file.
//
// *Beyond the toolchain's API*: Apple's has them, Linux's not.

/// A source that tells what happens to a file or directory.
///
/// ```swift
/// let descriptor = open("settings.json", O_RDONLY | O_CLOEXEC)
/// let source = DispatchSource.makeFileSystemObjectSource(
///   fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
/// source.setEventHandler {
///   if source.data.contains(.write) { reload() }
/// }
/// source.setCancelHandler { close(descriptor) }
/// source.activate()
/// ```
///
/// The source follows the *file*, not its name: it goes on telling of a file that was
/// renamed, and of one that was deleted and is still open. It never tells of a new file
/// that took the old one's name. Many programs save by writing a new file and renaming it
/// over the old one; to them the old file is `.delete`d. Who wants to follow the name opens
/// it again:
///
/// ```swift
/// final class Follower {
///   private let path: String
///   private let queue = DispatchQueue(label: "settings")
///   private var source: (any DispatchSourceFileSystemObject)?
///
///   init(_ path: String) { self.path = path; queue.async { self.follow() } }
///
///   private func follow() {
///     let descriptor = open(path, O_RDONLY | O_CLOEXEC)
///     guard descriptor >= 0 else { return /* try again when the directory is written */ }
///     let source = DispatchSource.makeFileSystemObjectSource(
///       fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
///     source.setEventHandler { [unowned self] in
///       if !source.data.isDisjoint(with: [.delete, .rename]) {
///         source.cancel()
///         follow()
///       }
///       reload()
///     }
///     source.setCancelHandler { close(descriptor) }
///     self.source = source
///     source.activate()
///     reload()  // What was written between the two.
///   }
///
///   private func reload() {}
/// }
/// ```
///
/// What happens between the `open` and the activation is not told, but for one thing: a file
/// that has lost its last name by then is told as `.delete`d at once. So read the file after
/// the source was activated, or in its registration handler.
///
/// Source: Apple's documentation of `DispatchSourceFileSystemObject`.
public protocol DispatchSourceFileSystemObject: _DispatchSourceOfNumber {
  /// What has happened, in the event handler.
  var data: DispatchSource.FileSystemEvent { get }

  /// What was asked for.
  var mask: DispatchSource.FileSystemEvent { get }
}

extension DispatchSourceFileSystemObject {
  /// What has happened, in the event handler: everything since it was called last.
  public var data: DispatchSource.FileSystemEvent {
    DispatchSource.FileSystemEvent(rawValue: source.core.data)
  }

  /// What was asked for.
  public var mask: DispatchSource.FileSystemEvent {
    DispatchSource.FileSystemEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceFileSystemObject {}

extension DispatchSource {
  /// Things that happen to a file.
  ///
  /// Source: Apple's documentation of `DispatchSource.FileSystemEvent`.
  public struct FileSystemEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The last of its names is gone, also because another file took it over. For a
    /// directory: it was removed.
    ///
    /// *Differences*: a file that loses one of several names tells ``link`` alone.
    public static let delete = FileSystemEvent(rawValue: 0x1)
    /// It was written to or cut. For a directory: an entry came, went or was renamed.
    ///
    /// The kernel does not tell of what is written through a mapping (`mmap`).
    public static let write = FileSystemEvent(rawValue: 0x2)
    /// It has grown. It comes together with ``write``.
    ///
    /// *Differences*: a directory never tells it.
    public static let extend = FileSystemEvent(rawValue: 0x4)
    /// Its mode, owner, times or extended attributes were changed.
    ///
    /// *Differences*: it comes with each ``link`` and ``delete`` of a file, too: the kernel
    /// tells the number of names like any other attribute.
    public static let attrib = FileSystemEvent(rawValue: 0x8)
    /// The number of its names has changed. For a directory: of the directories in it, on
    /// file systems that count them.
    public static let link = FileSystemEvent(rawValue: 0x10)
    /// It was renamed, or moved to another directory.
    public static let rename = FileSystemEvent(rawValue: 0x20)
    /// Its file system was unmounted. While a file is open that can only be forced.
    public static let revoke = FileSystemEvent(rawValue: 0x40)
    /// A lock on it was left.
    ///
    /// *Differences*: the kernel does not tell of it. A source that asks for nothing else
    /// is refused.
    public static let funlock = FileSystemEvent(rawValue: 0x100)
    /// All but ``funlock``.
    public static let all: FileSystemEvent = [
      .delete, .write, .extend, .attrib, .link, .rename, .revoke,
    ]
  }

  /// Makes a source that tells what happens to the file or directory that a descriptor
  /// stands for. It is inactive; see ``DispatchSourceFileSystemObject`` for an example.
  ///
  /// Events that come while the handler runs or the source is suspended fall together
  /// into one call. The kernel tells of what this machine does to the file: on network
  /// file systems (NFS, SMB) and FUSE not of what others do; on overlays (containers)
  /// not of what is done to the layers behind it.
  ///
  /// The kernel is told through `/proc/self/fd`, and must be allowed to read the file. Any
  /// descriptor will do, also one that was opened with `O_PATH`: then for a symbolic link
  /// itself with `O_NOFOLLOW`. It must be open until the cancel handler runs.
  ///
  /// One inotify descriptor serves all sources; each file that is watched counts among
  /// those of `/proc/sys/fs/inotify/max_user_watches`, however many sources watch it. An
  /// event costs the kernel's, one `fstat`, and an item on the queue. Any thread may
  /// call it.
  ///
  /// Where the kernel refuses (the descriptor is closed, stands for a pipe or a socket,
  /// or too many files are watched), the reason is printed when the source is activated,
  /// and the source is cancelled: its cancel handler is called, nothing else.
  ///
  /// Source: Apple's documentation of `makeFileSystemObjectSource(fileDescriptor:eventMask:queue:)`.
  ///
  /// - Parameters:
  ///   - fileDescriptor: an open descriptor of the file.
  ///   - eventMask: what to tell of.
  ///   - queue: where the handlers run; by default a global queue.
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject {
    checkDescriptor(fileDescriptor, "makeFileSystemObjectSource")
    return DispatchSource(FileSystemObjectSource(fileDescriptor, eventMask, queue: queue))
  }
}
