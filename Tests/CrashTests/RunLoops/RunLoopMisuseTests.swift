// Misuse of run loops: each traps, and says what to do instead.

import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("run loops that are misused trap")
struct RunLoopMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a loop runs in a mode without a name", says: "run loop", "name is empty", "give it a name"
    ) {
      CFRunLoopRunInMode(CFRunLoopMode(""), 0, true)
    }
    Misuse("a source is added to a mode without a name", says: "the main run loop", "name is empty")
    {
      CFRunLoopAddSource(CFRunLoopGetMain(), makeSource(), CFRunLoopMode(""))
    }
    Misuse(
      "the common modes become a common mode", says: "common modes", "the main run loop",
      "by its own name"
    ) {
      CFRunLoopAddCommonMode(CFRunLoopGetMain(), .commonModes)
    }
    Misuse(
      "a source is made with a context of an unknown version", says: "CFRunLoopSource", "version 7"
    ) {
      var context = CFRunLoopSourceContext()
      context.version = 7
      _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }
    Misuse(
      "an observer is made with a context of an unknown version", says: "CFRunLoopObserver",
      "version 1"
    ) {
      var context = CFRunLoopObserverContext()
      context.version = 1
      _ = CFRunLoopObserverCreate(kCFAllocatorDefault, 1, true, 0, { _, _, _ in }, &context)
    }
    Misuse(
      "a caller asks an observer for a context of an unknown version", says: "CFRunLoopObserver",
      "asked for", "version 3"
    ) {
      let observer = CFRunLoopObserverCreateWithHandler(kCFAllocatorDefault, 1, true, 0) { _, _ in }
      var context = CFRunLoopObserverContext()
      context.version = 3
      CFRunLoopObserverGetContext(observer, &context)
    }
  }

  @Test func runningInTheCommonModesIsReportedOnce() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        for _ in 0..<2 { CFRunLoopRunInMode(.commonModes, 0, true) }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "asked to run in the common modes").count == 2, "\(text)")
  }

  @Test func runningTheLoopOfAnotherThreadIsReportedOnce() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        let loop = RunLoop.of(thread.loop)
        loop.run(until: .distantFuture)
        loop.run()
        loop.run(mode: .default, before: .distantFuture)
        try thread.end()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "only the loop's own thread can run it").count == 2, "\(text)")
    #expect(text.contains("SIGNALBOX: run(until:) was called on the run loop of"), "\(text)")
  }
}
