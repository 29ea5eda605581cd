// DispatchIO — a channel to a descriptor or a file: the public object.
//
// A handle of an `IOChannel`, which does the work and may outlive it.

public import CSignalbox
import SignalboxRuntime

/// A channel through which a file, pipe, socket, terminal or device is read and written without a
/// thread that waits for it.
///
/// Operations are submitted and return at once; their handlers are called on a queue with what
/// has come or gone, once or several times, and with `done` at the end.
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
/// A descriptor is under the system's control from the channel's creation until its cleanup
/// handler is called: it must not be closed before. The channel ends when it was closed, or
/// when the last reference to it is gone, and all its operations are over; or when the descriptor
/// proves unusable. Several channels may share a descriptor; it is given back when the last of
/// them has ended, and their cleanup handlers are called then.
///
/// Every method may be called from any thread.
///
/// In a forked child the channels of the parent are out of use: operations end with ECANCELED,
/// barriers run with a ``fileDescriptor`` of -1, and no cleanup handler is called. The child
/// has the descriptor still, and may make a channel of its own for it.
///
/// *Differences*: the flag `O_NONBLOCK` is never changed, neither on a descriptor nor back: it
/// belongs to all processes that share the open file. A descriptor that has it is used as it is.
/// A pipe without readers that is opened by its path for writing gives ENXIO instead of waiting for
/// one. An operation transfers no more while three calls of its handler have not returned; the
/// toolchain's reads on, into memory. So a handler must not wait for an operation behind
/// its own on the same channel. ``DispatchObject/suspend()`` has no effect.
///
/// Source: Apple's documentation of `DispatchIO`.
public class DispatchIO: DispatchObject, @unchecked Sendable {  // SAFETY: `channel` never changes.
  let channel: IOChannel

  init(_ channel: IOChannel) { self.channel = channel }

  deinit { channel.release(stops: false) }

  /// What order a channel's operations have.
  public enum StreamType: UInt, Sendable {
    /// Bytes one after the other, from where the descriptor stands: reads in the order of their
    /// submission, writes in the order of theirs. Offsets mean nothing.
    case stream
    /// Bytes at places: operations may run side by side, in any order. Offsets count from
    /// where the descriptor stood when the channel was made.
    case random
  }

  /// How a channel is closed.
  public struct CloseFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Operations that are under way or waiting end now, with ECANCELED.
    public static let stop = CloseFlags(rawValue: 1)
  }

  /// How strictly an interval is kept.
  public struct IntervalFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// No flags.
    public init(nilLiteral: ()) { rawValue = 0 }

    /// Handlers are called even if there is less than the low-water mark, or nothing.
    public static let strictInterval = IntervalFlags(rawValue: 1)
  }

  // MARK: Making

  /// Makes a channel for a descriptor.
  ///
  /// If it cannot be used, the cleanup handler is called at once, with EBADF, EISDIR for a folder,
  /// or ESPIPE for a random channel of what has no places; all operations then end with the same.
  ///
  /// - Parameters:
  ///   - type: whether its bytes come one after the other, or have places.
  ///   - fileDescriptor: what is read and written.
  ///   - queue: where the cleanup handler runs.
  ///   - cleanupHandler: called once, when the descriptor may be closed.
  ///     `error`: why the channel could not be made or used; 0 otherwise.
  public convenience init(
    type: DispatchIO.StreamType, fileDescriptor: dispatch_fd_t, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(IOChannel.make(type, fileDescriptor, queue, cleanupHandler))
  }

  /// Makes a channel for a file, which is opened by the first operation and closed when the
  /// channel ends.
  ///
  /// If there is nothing that could be opened, or opening fails, the channel ends with that
  /// error, and so do its operations.
  ///
  /// - Parameters:
  ///   - type: whether its bytes come one after the other, or have places.
  ///   - path: an absolute path; nil is returned for any other.
  ///   - oflag: as for open(2).
  ///   - mode: as for open(2): the rights of a file that is made.
  ///   - queue: where the cleanup handler runs.
  ///   - cleanupHandler: called once, when the file has been closed.
  ///     `error`: why the file could not be opened or used; 0 otherwise.
  public convenience init?(
    type: DispatchIO.StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: mode_t,
    queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    let name = String(cString: path)
    guard name.utf8.first == UInt8(ascii: "/") else { return nil }
    let file = IOPath(name: name, flags: oflag, mode: mode)
    self.init(IOChannel.make(type, file, queue, cleanupHandler))
  }

  /// Makes another channel to what `io` reads and writes, with limits of its own.
  ///
  /// To a descriptor it is one more channel of it. To a path it is a file of its own, opened by
  /// its first operation. If `io` was closed, it ends at once with ECANCELED.
  ///
  /// - Parameters:
  ///   - type: whether its bytes come one after the other, or have places.
  ///   - io: a channel that was not closed.
  ///   - queue: where the cleanup handler runs.
  ///   - cleanupHandler: called once, when the descriptor may be closed, or the file is.
  ///     `error`: why the channel could not be made or used; 0 otherwise.
  public convenience init(
    type: DispatchIO.StreamType, io: DispatchIO, queue: DispatchQueue,
    cleanupHandler: @escaping (_ error: Int32) -> Void
  ) {
    self.init(io.channel.makeAnother(type, queue, cleanupHandler))
  }

  public override var description: String {
    "<DispatchIO \(channel.type) of \(channel.name), operations: \(channel.pendingHint)>"
  }

  /// Makes the quality of service of `queue` the one with which disks are waited for and barriers
  /// run. What it has begun with counts for what is under way.
  public override func setTarget(queue: DispatchQueue) {
    let asked = queue.qos.qosClass
    channel.setWorkQueue(.global(qos: asked == .unspecified ? .default : asked))
  }
}

/// A file descriptor.
public typealias dispatch_fd_t = Int32
