// DispatchIO+Operations — reading, writing, barriers and the end of a channel.

public import CSignalbox
import SignalboxRuntime

extension DispatchIO {
  /// Reads, and returns at once.
  ///
  /// The handler is called with what was read since its last call, as the limits and the
  /// interval say, one call after the other. The last call has `done`. If it has no data and
  /// no error, the end was reached. With an error it has no data: what was read before was
  /// told by a call before it.
  ///
  /// Files are read in pieces, at most so far ahead of the handler that a few of its calls are
  /// on their way.
  ///
  /// - Parameters:
  ///   - offset: where a random channel begins, from where it stood when it was made. Places
  ///     before the file's beginning end with EINVAL.
  ///   - length: how many bytes. `Int.max`, or -1 as which C's SIZE_MAX arrives, is all until
  ///     the end. 0 is done at once, in its turn.
  ///   - queue: where the handler is called.
  ///   - ioHandler: is told.
  ///     `done`: it is the last call.
  ///     `data`: what was read; nil with an error.
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
  /// The handler is called with what is still to be written, as the limits and the interval
  /// say. The last call has `done`: without an error, everything is written, and it has no
  /// data. With an error it has what could not be written. A reader that has gone away is EPIPE,
  /// and no signal.
  ///
  /// - Parameters:
  ///   - offset: where a random channel begins, from where it stood when it was made.
  ///   - data: what is written; it is kept, not copied.
  ///   - queue: where the handler is called.
  ///   - ioHandler: is told.
  ///     `done`: it is the last call.
  ///     `remaining`: what is not written; nil for nothing.
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

  /// Runs `execute` alone: when all operations submitted before, on any channel of the
  /// descriptor, are over, and before any submitted later begins.
  ///
  /// It runs on a global queue. It may use the descriptor, which it finds in
  /// ``fileDescriptor``, with fsync(2) or lseek(2), but not close it. On a closed channel it
  /// runs too. In a forked child it runs at once, and finds -1: the channel is the parent's.
  ///
  /// - Parameter execute: called once.
  public func barrier(execute: @escaping () -> Void) { channel.submitBarrier(execute) }

  /// The descriptor; -1 when the channel was closed, could not be made, is a forked child's
  /// parent's, or has a path that no operation or barrier has opened yet.
  public var fileDescriptor: Int32 { channel.shownNumber }

  /// Lets no further operation in: those submitted from now on end with ECANCELED.
  ///
  /// Those submitted before go on; with `.stop` they end too, at once, with ECANCELED, after they
  /// have told what they had read. A transfer between a disk and memory that is under way is
  /// waited for. The cleanup handler follows when all are over. Closing again does nothing, unless
  /// it adds the flag.
  ///
  /// - Parameter flags: `.stop`, or nothing.
  public func close(flags: DispatchIO.CloseFlags = []) {
    channel.close(stops: flags.contains(.stop))
  }
}
