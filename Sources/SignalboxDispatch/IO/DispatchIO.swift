// DispatchIO — a channel to a descriptor or a file: the public object.
//
// The object is a handle of an `IOChannel`. The `IOChannel` does the work and may outlive the
// handle.

public import CSignalbox
import SignalboxRuntime

/// A channel that reads and writes a file, pipe, socket, terminal or device without a thread that
/// waits for it.
///
/// You submit operations, which return at once. Their handlers are called on a queue with the
/// bytes that were transferred, once or several times, and with `done` at the end.
///
/// ```swift
/// let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { error in
///   close(descriptor)
/// }
/// channel.setLimit(lowWater: 1)
/// channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
///   if let data { print("\(data.count) bytes") }
///   if done { channel.close() }
/// }
/// ```
///
/// A descriptor is under the system's control from the creation of the channel until its cleanup
/// handler is called: you must not close it before then. A channel ends when all its operations
/// have ended and either the channel was closed or its last reference is gone; or when the
/// descriptor proves unusable. Several channels may share a descriptor. The system releases it, and
/// calls their cleanup handlers, when the last of them has ended.
///
/// You may call every method from any thread.
///
/// A forked child cannot use the channels of its parent: operations end with ECANCELED, barriers
/// run with a ``fileDescriptor`` of -1, and no cleanup handler is called. The child still has the
/// descriptor, and may create a channel of its own for it.
///
/// *Differences*: Signalbox never changes the flag `O_NONBLOCK` of a descriptor, because all
/// processes that share the open file share the flag. A descriptor that has the flag is used as
/// it is. If you open a pipe without readers by its path for writing, you get ENXIO; the call
/// does not wait for a reader. An operation pauses while three calls of its handler have not
/// returned; the toolchain continues to read into memory. So a handler must not wait for an
/// operation behind its own on the same channel. ``DispatchObject/suspend()`` has no effect.
///
/// Source: Apple's documentation of `DispatchIO`.
public class DispatchIO: DispatchObject, @unchecked Sendable {  // SAFETY: `channel` never changes.
  let channel: IOChannel

  init(_ channel: IOChannel) {
    self.channel = channel
    super.init(.channel)
  }

  deinit { channel.release(stops: false) }

  /// The order of a channel's operations.
  public enum StreamType: UInt, Sendable {
    /// A sequence of bytes from the descriptor's current position: reads run in order of
    /// submission, and so do writes. Offsets have no meaning.
    case stream
    /// Bytes at given positions: operations may run concurrently, in any order. Offsets are
    /// relative to the descriptor's position when the channel was created.
    case random
  }

  /// Options for closing a channel.
  public struct CloseFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Operations that are under way or waiting end now, with ECANCELED.
    public static var stop: CloseFlags { Self(rawValue: 1) }
  }

  /// Options for an interval.
  public struct IntervalFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Creates a set without options.
    public init(nilLiteral: ()) { rawValue = 0 }

    /// Handlers are called even with fewer bytes than the low-water mark, or none.
    public static var strictInterval: IntervalFlags { Self(rawValue: 1) }
  }

  // MARK: Making

  /// Creates a channel for a descriptor.
  ///
  /// If the descriptor cannot be used, the cleanup handler is called at once: with EBADF, with
  /// EISDIR for a directory, or with ESPIPE for a random channel to a descriptor without
  /// positions. All operations then end with the same error.
  ///
  /// - Parameters:
  ///   - type: whether the bytes form a sequence or have positions.
  ///   - fileDescriptor: the descriptor to read and write.
  ///   - queue: the queue that the cleanup handler runs on.
  ///   - cleanupHandler: called once, when you may close the descriptor.
  ///     `error`: why the channel could not be created or used; 0 otherwise.
  public convenience init(
    type: DispatchIO.StreamType, fileDescriptor: dispatch_fd_t, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel.make(type, fileDescriptor, queue, cleanupHandler))
  }

  /// Creates a channel for a file. The first operation opens the file, and it is closed when the
  /// channel ends.
  ///
  /// If the file does not exist or cannot be opened, the channel and its operations end with that
  /// error.
  ///
  /// - Parameters:
  ///   - type: whether the bytes form a sequence or have positions.
  ///   - path: an absolute path; for any other the initializer returns nil.
  ///   - oflag: as for open(2).
  ///   - mode: as for open(2): the permissions of a file that is created.
  ///   - queue: the queue that the cleanup handler runs on.
  ///   - cleanupHandler: called once, when the file has been closed.
  ///     `error`: why the file could not be opened or used; 0 otherwise.
  public convenience init?(
    type: DispatchIO.StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: mode_t,
    queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    guard UInt8(bitPattern: path.pointee) == UInt8(ascii: "/") else { return nil }
    let file = IOPath(path, flags: oflag, mode: mode)
    self.init(IOChannel.make(type, file, queue, cleanupHandler))
  }

  /// Creates another channel to the descriptor or path of `io`, with limits of its own.
  ///
  /// For a descriptor, it is one more channel to the same descriptor. For a path, it opens a file
  /// of its own with its first operation. If `io` was closed, the new channel ends at once with
  /// ECANCELED.
  ///
  /// - Parameters:
  ///   - type: whether the bytes form a sequence or have positions.
  ///   - io: a channel that was not closed.
  ///   - queue: the queue that the cleanup handler runs on.
  ///   - cleanupHandler: called once, when you may close the descriptor, or when the file has been
  ///     closed. `error`: why the channel could not be created or used; 0 otherwise.
  public convenience init(
    type: DispatchIO.StreamType, io: DispatchIO, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(io.channel.makeAnother(type, queue, cleanupHandler))
  }

  public override var description: String {
    "<DispatchIO \(channel.type) of \(channel.name), operations: \(channel.pendingHint)>"
  }

  /// Runs the channel's barriers and its disk transfers at the quality of service of `queue`. Work
  /// that has begun keeps the one that it has.
  public override func setTarget(queue: DispatchQueue) {
    let asked = queue.qos.qosClass
    channel.setWorkQueue(.global(qos: asked == .unspecified ? .default : asked))
  }
}

/// A file descriptor.
public typealias dispatch_fd_t = Int32
