// DescriptorSource — an input source of version 1: the loop performs it while its descriptor is
// readable.
//
// Nothing here reads from the descriptor. If `perform` leaves data behind, the loop performs
// the source again in the next pass.
//
// Touching    `calls`: never changes.

import CSignalbox
import SignalboxRuntime

final class DescriptorSource: PortSource, @unchecked Sendable {  // SAFETY: see Touching.
  let calls: DescriptorCalls

  init(order: CFIndex, context: ItemContext, calls: DescriptorCalls) {
    self.calls = calls
    super.init(
      order: order, context: context,
      callBacks: SourceCallBacks(
        equal: calls.equal, hash: calls.hash, schedule: nil, cancel: nil, perform: nil))
  }

  /// Asks for the descriptor. A negative number means none.
  override func prepareToEnter() {
    guard isValid, let getPort = calls.getPort else { return }
    let descriptor = getPort(context.info)
    if descriptor >= 0 && csb_io_is_open(descriptor) == 0 {
      clientBug(
        "the descriptor \(descriptor) of a CFRunLoopSource was not open when the source was added "
          + "to a run loop: open it first, and invalidate the source before it is closed.")
    }
    lock.withLock { useDescriptor(descriptor >= 0 ? descriptor : nil) }
  }

  override func perform(in mode: LoopMode) -> Bool {
    guard lock.withLock({ isMeant(in: mode) }) else { return false }
    mode.loop.tell(.port, mode)
    calls.perform?(context.info)
    return true
  }
}

struct DescriptorCalls {
  var equal: ((UnsafeRawPointer?, UnsafeRawPointer?) -> Bool)?
  var hash: ((UnsafeRawPointer?) -> CFHashCode)?
  var getPort: ((UnsafeMutableRawPointer?) -> Int32)?
  var perform: ((UnsafeMutableRawPointer?) -> Void)?
}
