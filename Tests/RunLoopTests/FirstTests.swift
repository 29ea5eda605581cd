import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

struct FirstTests {
  @Test func aLoopIsItsThreads() {
    let (a, b) = (RunLoop.current, RunLoop.current)
    #expect(a === b)
    #expect(a.getCFRunLoop() === CFRunLoopGetCurrent())
    #expect(RunLoop.main === RunLoop.main)
  }

  @Test func aSourceSignalledFromAnotherThreadIsPerformed() throws {
    let loop = CFRunLoopGetCurrent()!
    let log = EventLog<String>()
    var context = CFRunLoopSourceContext()
    context.perform = { _ in log.append("performed") }
    context.schedule = { _, _, mode in log.append("schedule \(mode!.rawValue)") }
    context.cancel = { _, _, mode in log.append("cancel \(mode!.rawValue)") }
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    let mode = CFRunLoopMode("first")
    CFRunLoopAddSource(loop, source, mode)
    let thread = JoinableThread {
      while !CFRunLoopIsWaiting(loop) {}
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(loop)
    }
    thread.start()
    #expect(CFRunLoopRunInMode(mode, 10, true) == .handledSource)
    thread.join()
    CFRunLoopSourceInvalidate(source)
    #expect(CFRunLoopRunInMode(mode, 10, true) == .finished)
    #expect(log.all == ["schedule first", "performed", "cancel first"])
  }

  @Test func timeoutAndStop() {
    let loop = CFRunLoopGetCurrent()!
    var context = CFRunLoopSourceContext()
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    let mode = CFRunLoopMode("stops")
    CFRunLoopAddSource(loop, source, mode)
    #expect(CFRunLoopRunInMode(mode, 0, true) == .timedOut)
    #expect(CFRunLoopRunInMode(mode, 0.01, true) == .timedOut)
    CFRunLoopPerformBlock(loop, mode) { CFRunLoopStop(loop) }
    #expect(CFRunLoopRunInMode(mode, 100, true) == .stopped)
    CFRunLoopSourceInvalidate(source)
  }
}
