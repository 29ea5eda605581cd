// MainLoop — main's own run loop, for the listings that are about it and no other.

import SignalboxDispatch
import SignalboxRunLoop

/// Has the main thread run its loop in the default mode while the body runs here.
///
/// It does so within an item of the main queue: the queue's other items wait meanwhile.
func whileMainRunsItsLoop<Result>(_ body: () throws -> Result) rethrows -> Result {
  let runs = DispatchSemaphore(value: 0)
  let hasEnded = DispatchSemaphore(value: 0)
  DispatchQueue.main.async {
    let loop = CFRunLoopGetMain()
    let keeper = makeCustomSource()
    CFRunLoopAddSource(loop, keeper, .defaultMode)
    CFRunLoopPerformBlock(loop, .defaultMode) { runs.signal() }
    // So long a time never ends.
    CFRunLoopRunInMode(.defaultMode, 1e10, false)
    CFRunLoopSourceInvalidate(keeper)
    hasEnded.signal()
  }
  runs.wait()
  defer {
    CFRunLoopPerformBlock(CFRunLoopGetMain(), .defaultMode) { CFRunLoopStop(CFRunLoopGetMain()) }
    CFRunLoopWakeUp(CFRunLoopGetMain())
    hasEnded.wait()
  }
  return try body()
}
