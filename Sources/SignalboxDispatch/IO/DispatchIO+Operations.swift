// DispatchIO+Operations — reads, writes and barriers of a channel, and its end.

public import CSignalbox
import SignalboxRuntime

extension DispatchIO {
  /// Reads, and returns at once.
  ///
  /// The handler receives the bytes that were read since its last call, as the limits and the
  /// interval require, one call after the other. In the last call, `done` is true. If that call has
  /// no data and no error, the end was reached. With an error, it has no data: earlier calls
  /// delivered all bytes that were read.
  ///
  /// Files are read in pieces, and only so far ahead of the handler that a few of its calls are
  /// pending.
  ///
  /// - Parameters:
  ///   - offset: where a random channel begins, relative to the descriptor's position when the
  ///     channel was created. An operation before the beginning of the file ends with EINVAL.
  ///   - length: how many bytes to read. `Int.max`, or -1 (how C's SIZE_MAX arrives), means
  ///     everything up to the end. With 0, the operation reads nothing and ends when its turn
  ///     comes.
  ///   - queue: the queue to call the handler on.
  ///   - ioHandler: the handler.
  ///     `done`: whether this is the last call.
  ///     `data`: the bytes read; nil with an error.
  ///     `error`: an errno, or 0. ECANCELED after the channel was closed.
  public func read(
    offset: off_t, length: Int, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.submit(
      IOOperation(
        read: length, at: Int64(offset), of: channel, isOnce: false, queue: queue,
        handler: ioHandler))
  }

  /// Writes, and returns at once.
  ///
  /// The handler receives the bytes that are still to be written, as the limits and the interval
  /// require. In the last call, `done` is true. Without an error, everything is written and that
  /// call has no data. With an error, it has the bytes that could not be written. If the reader is
  /// gone, the error is EPIPE; no SIGPIPE is sent.
  ///
  /// - Parameters:
  ///   - offset: where a random channel begins, relative to the descriptor's position when the
  ///     channel was created.
  ///   - data: the bytes to write; retained, not copied.
  ///   - queue: the queue to call the handler on.
  ///   - ioHandler: the handler.
  ///     `done`: whether this is the last call.
  ///     `remaining`: the bytes that are not written; nil for none.
  ///     `error`: an errno, or 0. ECANCELED after the channel was closed.
  public func write(
    offset: off_t, data: DispatchData, queue: DispatchQueue,
    ioHandler: @escaping (_ done: Bool, _ remaining: DispatchData?, _ error: Int32) -> Void
  ) {
    channel.submit(
      IOOperation(
        write: data, at: Int64(offset), of: channel, isOnce: false, queue: queue,
        handler: ioHandler))
  }

  /// Runs `execute` alone: after all operations that were submitted before on any channel of the
  /// descriptor have ended, and before any that is submitted later begins.
  ///
  /// It runs on a global queue. It may use the descriptor in ``fileDescriptor`` with fsync(2) or
  /// lseek(2), but must not close it. It also runs on a closed channel. In a forked child, it runs
  /// at once and finds -1, because the channel belongs to the parent.
  ///
  /// - Parameter execute: called once.
  public func barrier(execute: @escaping () -> Void) { channel.submitBarrier(execute) }

  /// The descriptor. It is -1 if the channel was closed or could not be created, if it belongs to
  /// the parent of a forked child, or if it has a path that no operation or barrier has opened
  /// yet.
  public var fileDescriptor: Int32 { channel.shownNumber }

  /// Accepts no further operations: those that you submit from now on end with ECANCELED.
  ///
  /// Operations that were submitted before continue. With `.stop`, they end too, at once, with
  /// ECANCELED, after their handlers have received what was read. A transfer between a disk and
  /// memory that is under way completes first. The cleanup handler is called when all operations
  /// have ended. Closing again has no effect, unless it adds the flag.
  ///
  /// - Parameter flags: `.stop`, or empty.
  public func close(flags: DispatchIO.CloseFlags = []) {
    channel.close(stops: flags.contains(.stop))
  }
}
