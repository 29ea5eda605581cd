// Misuse of run loops: each traps, and says what to do instead.

import Glibc
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("run loops that are misused trap")
struct RunLoopMisuseTests {
  @Test func runningAModeThatHasNoName() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm { CFRunLoopRunInMode(CFRunLoopMode(""), 0, true) }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "run loop", "name is empty", "give it a name")
  }

  @Test func addingToAModeThatHasNoName() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm { CFRunLoopAddSource(CFRunLoopGetMain(), makeSource(), CFRunLoopMode("")) }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the main run loop", "name is empty")
  }

  @Test func runningTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).run(until: .distantFuture)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "run(until:)", "its own thread", "perform(_:)")
  }

  @Test func runningOneTurnOfTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).run(mode: .default, before: .distantPast)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "run(mode:before:)", "its own thread")
  }

  @Test func askingTheLoopOfAnotherThreadForItsLimitDate() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        _ = RunLoop.of(thread.loop).limitDate(forMode: .default)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "limitDate(forMode:)", "its own thread")
  }

  @Test func acceptingInputForTheLoopOfAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let thread = try LoopThread()
        RunLoop.of(thread.loop).acceptInput(forMode: "kCFRunLoopDefaultMode", before: .distantPast)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "acceptInput(forMode:before:)", "its own thread")
  }

  @Test func theCommonModesAmongThemselves() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm { CFRunLoopAddCommonMode(CFRunLoopGetMain(), .commonModes) }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "common modes", "the main run loop", "by its own name")
  }

  @Test func aSourceOfAnUnknownVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      var context = CFRunLoopSourceContext()
      context.version = 7
      _ = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "CFRunLoopSource", "version 7")
  }

  @Test func anObserverOfAnUnknownVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      var context = CFRunLoopObserverContext()
      context.version = 1
      _ = CFRunLoopObserverCreate(kCFAllocatorDefault, 1, true, 0, { _, _, _ in }, &context)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "CFRunLoopObserver", "version 1")
  }

  @Test func contextOfAnObserverAskedForInAnUnknownVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let observer = CFRunLoopObserverCreateWithHandler(kCFAllocatorDefault, 1, true, 0) { _, _ in }
      var context = CFRunLoopObserverContext()
      context.version = 3
      CFRunLoopObserverGetContext(observer, &context)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "CFRunLoopObserver", "asked for", "version 3")
  }

  @Test func runningInTheCommonModesIsSaidOnce() async {
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
}
