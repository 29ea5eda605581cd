// IOHandlers — the handlers of reads, writes and channels, as C code gives them: a block, or a
// function with its context.
//
// A block costs one copy. The data that a handler receives is an object whose reference ends when
// the handler returns; the bytes are not copied.

import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

package typealias CleanupFunction = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
package typealias OnceFunction =
  @convention(c) (UnsafeMutableRawPointer?, Handle?, Int32) -> Void
package typealias ChannelFunction =
  @convention(c) (UnsafeMutableRawPointer?, Bool, Handle?, Int32) -> Void

/// Handlers, as the engine calls them.
enum IOHandlers {
  typealias Cleanup = (_ error: Int32) -> Void
  typealias Once = (_ data: DispatchData?, _ error: Int32) -> Void
  typealias Channel = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void

  // MARK: Blocks

  /// The handler of a channel's end; none for NULL.
  static func cleanup(_ block: UnsafeMutableRawPointer?, _ call: StaticString) -> Cleanup? {
    guard let block else { return nil }
    let copy = Block(block, call).makeCopy()
    defer { csd_block_release(copy) }
    // SAFETY: a block of this type, as the caller says.
    let handler = unsafeBitCast(copy, to: (@convention(block) (Int32) -> Void).self)
    return { handler($0) }
  }

  static func once(_ block: UnsafeMutableRawPointer?, _ call: StaticString) -> Once {
    let copy = Block(block, call).makeCopy()
    defer { csd_block_release(copy) }
    // SAFETY: a block of this type, as the caller says.
    let handler = unsafeBitCast(copy, to: (@convention(block) (Handle?, Int32) -> Void).self)
    return { data, error in Handles.lend(data) { handler($0, error) } }
  }

  static func channel(_ block: UnsafeMutableRawPointer?, _ call: StaticString) -> Channel {
    let copy = Block(block, call).makeCopy()
    defer { csd_block_release(copy) }
    // SAFETY: a block of this type, as the caller says.
    let handler = unsafeBitCast(copy, to: (@convention(block) (Bool, Handle?, Int32) -> Void).self)
    return { done, data, error in Handles.lend(data) { handler(done, $0, error) } }
  }

  // MARK: Functions

  static func cleanup(
    _ function: CleanupFunction?, _ context: UnsafeMutableRawPointer?
  ) -> Cleanup? {
    function.map { function in { function(context, $0) } }
  }

  static func once(
    _ function: OnceFunction?, _ context: UnsafeMutableRawPointer?, _ call: StaticString
  ) -> Once {
    guard let function else { trapNoFunction(call) }
    return { data, error in Handles.lend(data) { function(context, $0, error) } }
  }

  static func channel(
    _ function: ChannelFunction?, _ context: UnsafeMutableRawPointer?, _ call: StaticString
  ) -> Channel {
    guard let function else { trapNoFunction(call) }
    return { done, data, error in Handles.lend(data) { function(context, done, $0, error) } }
  }

  @inline(never)
  private static func trapNoFunction(_ call: StaticString) -> Never {
    clientBug("\(call) was called with NULL where a function belongs.")
  }
}
