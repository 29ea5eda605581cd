// DispatchIO+Once — one read or write of a descriptor, without a channel to keep.
//
// The call creates a channel, submits one operation and closes the channel. The caller's handler
// is the channel's cleanup handler, so the descriptor is free when it is called.

import SignalboxRuntime

extension DispatchIO {
  /// Reads the bytes that are available, and calls the handler with them once.
  ///
  /// The descriptor is under the system's control until the handler is called. Operations
  /// on one descriptor, including those of channels, take turns.
  ///
  /// - Parameters:
  ///   - fromFileDescriptor: the descriptor to read from, at its current position.
  ///   - maxLength: the maximum number of bytes to read. `Int.max`, or -1 (how C's SIZE_MAX
  ///     arrives), means all bytes that are available; for a file, everything up to its
  ///     end.
  ///   - queue: the queue to call the handler on.
  ///   - handler: called once.
  ///     `data`: the bytes read. Empty without an error means the end.
  ///     `error`: an errno, or 0. With an error, `data` contains the bytes read before it.
  public class func read(
    fromFileDescriptor: Int32, maxLength: Int, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ data: DispatchData, _ error: Int32) -> Void
  ) {
    let outcome = Outcome()
    let channel = IOChannel.make(.stream, fromFileDescriptor, isOnce: true, queue) { _ in
      // The operation has ended, and knows the channel's error if that ended it.
      handler(outcome.data ?? .empty, outcome.error)
    }
    perform(
      IOOperation(
        read: maxLength, at: 0, of: channel, isOnce: true, queue: queue,
        handler: { outcome.add($1, $2) }))
  }

  /// Writes all of `data`, and calls the handler.
  ///
  /// The descriptor is under the system's control until the handler is called. Operations
  /// on one descriptor, including those of channels, take turns.
  ///
  /// - Parameters:
  ///   - toFileDescriptor: the descriptor to write to, at its current position.
  ///   - data: the bytes to write; retained, not copied.
  ///   - queue: the queue to call the handler on.
  ///   - handler: called once.
  ///     `remaining`: the bytes that could not be written; nil for none.
  ///     `error`: an errno, or 0.
  public class func write(
    toFileDescriptor: Int32, data: DispatchData, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ remaining: DispatchData?, _ error: Int32) -> Void
  ) {
    let outcome = Outcome()
    let channel = IOChannel.make(.stream, toFileDescriptor, isOnce: true, queue) { _ in
      // The operation has ended, and knows the channel's error if that ended it.
      handler(outcome.error != 0 ? outcome.data ?? data : nil, outcome.error)
    }
    perform(
      IOOperation(
        write: data, at: 0, of: channel, isOnce: true, queue: queue,
        handler: { outcome.add($1, $2) }))
  }

  private static func perform(_ operation: IOOperation) {
    operation.channel.submit(operation)
    operation.channel.release(stops: false)
  }
}

/// The result of the operation.
///
/// Touching: the descriptor queue, then the handler's item.
private final class Outcome: @unchecked Sendable {  // SAFETY: see Touching.
  private(set) var data: DispatchData?
  private(set) var error: Int32 = 0

  func add(_ more: DispatchData?, _ error: Int32) {
    self.error = error
    guard let more else { return }
    if data == nil { data = more } else { data!.append(more) }
  }
}
