// DispatchIO+Once — one read or write of a descriptor, without a channel to keep.
//
// It is an operation of a channel that is closed behind it. Its handler is the channel's
// cleanup handler: so the descriptor is free when it is called.

import SignalboxRuntime

extension DispatchIO {
  /// Reads once what there is, and calls the handler with it.
  ///
  /// The descriptor is under the system's control until then. Operations on one descriptor, of
  /// channels too, take their turns.
  ///
  /// - Parameters:
  ///   - fromFileDescriptor: what is read, from where it stands.
  ///   - maxLength: at most so many bytes. `Int.max`, or -1 as which C's SIZE_MAX arrives,
  ///     is all that is there: of a file, all until its end.
  ///   - queue: where the handler is called.
  ///   - handler: called once.
  ///     `data`: what was read. Empty, without an error: the end was reached.
  ///     `error`: an errno, or 0. The data are what was read before.
  public class func read(
    fromFileDescriptor: Int32, maxLength: Int, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ data: DispatchData, _ error: Int32) -> Void
  ) {
    let outcome = Outcome()
    let channel = IOChannel.make(.stream, fromFileDescriptor, isOnce: true, queue) { error in
      handler(outcome.data ?? .empty, error != 0 ? error : outcome.error)
    }
    perform(
      IOOperation(
        read: maxLength, at: 0, of: channel, isOnce: true, queue: queue,
        handler: { outcome.add($1, $2) }))
  }

  /// Writes all of `data`, and calls the handler.
  ///
  /// The descriptor is under the system's control until then. Operations on one descriptor, of
  /// channels too, take their turns.
  ///
  /// - Parameters:
  ///   - toFileDescriptor: where to, at its place.
  ///   - data: what is written; it is kept, not copied.
  ///   - queue: where the handler is called.
  ///   - handler: called once.
  ///     `remaining`: what could not be written; nil for nothing.
  ///     `error`: an errno, or 0.
  public class func write(
    toFileDescriptor: Int32, data: DispatchData, runningHandlerOn queue: DispatchQueue,
    handler: @escaping (_ remaining: DispatchData?, _ error: Int32) -> Void
  ) {
    let outcome = Outcome()
    let channel = IOChannel.make(.stream, toFileDescriptor, isOnce: true, queue) { error in
      // With an error of the channel's the operation may not have been asked.
      let error = error != 0 ? error : outcome.error
      handler(error != 0 ? outcome.data ?? data : nil, error)
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

/// What the operation told.
///
/// Touching: the descriptor's desk, then the handler's item.
private final class Outcome: @unchecked Sendable {  // SAFETY: see Touching.
  private(set) var data: DispatchData?
  private(set) var error: Int32 = 0

  func add(_ more: DispatchData?, _ error: Int32) {
    self.error = error
    guard let more else { return }
    if data == nil { data = more } else { data!.append(more) }
  }
}
