// StreamWaker — a source that is performed while a stream's descriptor is ready.
//
// A loop watches descriptors for reading. A descriptor for writing is in an epoll set of its
// own, which is readable while the descriptor is writable.

import SignalboxRunLoop
import SignalboxRuntime

final class StreamWaker {
  let source: CFRunLoopSource
  private let writingSet: WritingSet?

  init(_ descriptor: Int32, forWriting: Bool, _ perform: @escaping () -> Void) {
    let set = forWriting ? WritingSet(descriptor) : nil
    writingSet = set
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.getPort = { _ in set?.descriptor ?? descriptor }
    context.perform = { _ in perform() }
    source = CFRunLoopSourceCreate(nil, 0, &context)
  }

  func end() { CFRunLoopSourceInvalidate(source) }

  private final class WritingSet {
    private let sleeper = DescriptorSleeper()

    var descriptor: Int32 { sleeper.set }

    init(_ descriptor: Int32) {
      let error = sleeper.add(
        descriptor, token: DescriptorSleeper.firstToken, bits: DescriptorSleeper.writable)
      if error != 0 {
        warn(
          "the descriptor \(descriptor) of an output stream cannot be watched (errno \(error)): "
            + "its delegate is not notified when there is room.")
      }
    }

    deinit { sleeper.close() }
  }
}
