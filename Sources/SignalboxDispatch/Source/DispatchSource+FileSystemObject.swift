// DispatchSource+FileSystemObject — sources for the events of a file.
//
// *Beyond the toolchain's API*: Apple has these sources; the toolchain on Linux does not.

/// A source that reports what happens to a file or directory.
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
/// The source follows the *file*, not its name: it continues for a file that is renamed, and for
/// one that is deleted and still open. It never reports on a new file that takes the old name.
/// Many programs save by writing a new file and renaming it over the old one; the source then
/// reports the old file as `.delete`d. To follow the name, open it again:
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
///     reload()  // Reads what was written before the activation.
///   }
///
///   private func reload() {}
/// }
/// ```
///
/// The source does not report what happens between the `open` and the activation, with one
/// exception: if the file has lost its last name by then, it reports `.delete` at once. So read
/// the file after the activation, or in the registration handler.
///
/// Source: Apple's documentation of `DispatchSourceFileSystemObject`.
public protocol DispatchSourceFileSystemObject: _DispatchSourceOfNumber {
  /// The events that happened, for the event handler.
  var data: DispatchSource.FileSystemEvent { get }

  /// The requested events.
  var mask: DispatchSource.FileSystemEvent { get }
}

extension DispatchSourceFileSystemObject {
  /// The events since the last call of the event handler. Read it in that handler.
  public var data: DispatchSource.FileSystemEvent {
    DispatchSource.FileSystemEvent(rawValue: source.core.data)
  }

  /// The requested events.
  public var mask: DispatchSource.FileSystemEvent {
    DispatchSource.FileSystemEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceFileSystemObject {}

extension DispatchSource {
  /// Events of a file.
  ///
  /// Source: Apple's documentation of `DispatchSource.FileSystemEvent`.
  public struct FileSystemEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The file lost its last name, perhaps because another file took that name. A
    /// directory was removed.
    ///
    /// *Differences*: a file that loses one of several names reports only ``link``.
    public static var delete: FileSystemEvent { Self(rawValue: 0x1) }
    /// The file was written to or truncated. In a directory, an entry was added, removed or
    /// renamed.
    ///
    /// The kernel does not report writes through a mapping (`mmap`).
    public static var write: FileSystemEvent { Self(rawValue: 0x2) }
    /// The file has grown. The event occurs together with ``write``.
    ///
    /// *Differences*: a directory never reports it.
    public static var extend: FileSystemEvent { Self(rawValue: 0x4) }
    /// The mode, owner, times or extended attributes were changed.
    ///
    /// *Differences*: the event also occurs with each ``link`` and ``delete`` of a file,
    /// because the kernel reports a changed number of names like any other attribute.
    public static var attrib: FileSystemEvent { Self(rawValue: 0x8) }
    /// The number of names has changed. For a directory, it is the number of its subdirectories,
    /// on file systems that count them.
    public static var link: FileSystemEvent { Self(rawValue: 0x10) }
    /// The file was renamed or moved to another directory.
    public static var rename: FileSystemEvent { Self(rawValue: 0x20) }
    /// The file system was unmounted. While a file is open, only a forced unmount does that.
    public static var revoke: FileSystemEvent { Self(rawValue: 0x40) }
    /// A lock on the file was released.
    ///
    /// *Differences*: the kernel does not report it. A source that requests nothing else is
    /// refused.
    public static var funlock: FileSystemEvent { Self(rawValue: 0x100) }
    /// All events except ``funlock``.
    public static var all: FileSystemEvent {
      [
        .delete, .write, .extend, .attrib, .link, .rename, .revoke,
      ]
    }
  }

  /// Creates a source that reports what happens to the file or directory of a descriptor. It is
  /// inactive; see ``DispatchSourceFileSystemObject`` for an example.
  ///
  /// Events that occur while the handler runs or the source is suspended are combined into one
  /// call. The kernel reports what this machine does to the file. On network file systems (NFS,
  /// SMB) and FUSE, it does not report what others do; on overlays (containers), it does not report
  /// what happens to the lower layers.
  ///
  /// The kernel is asked through `/proc/self/fd`, and the process must be allowed to read the
  /// file. Any descriptor works, including one from `O_PATH`; together with `O_NOFOLLOW` it
  /// watches a symbolic link itself. The descriptor must be open until the cancel handler runs.
  ///
  /// One inotify descriptor serves all sources. Each watched file counts towards
  /// `/proc/sys/fs/inotify/max_user_watches`, however many sources watch it. An event costs the
  /// kernel's work, one `fstat` and an item on the queue. Any thread may call it.
  ///
  /// If the kernel refuses (the descriptor is closed, belongs to a pipe or socket, or too many
  /// files are watched), the activation prints the reason and cancels the source: only its cancel
  /// handler is called.
  ///
  /// Source: Apple's documentation of
  /// `makeFileSystemObjectSource(fileDescriptor:eventMask:queue:)`.
  ///
  /// - Parameters:
  ///   - fileDescriptor: an open descriptor of the file.
  ///   - eventMask: the events to report.
  ///   - queue: where the handlers run; by default a global queue.
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject {
    checkDescriptor(fileDescriptor, "makeFileSystemObjectSource")
    return DispatchSource(FileSystemObjectSource(fileDescriptor, eventMask, queue: queue))
  }
}
