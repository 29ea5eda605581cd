// RunLoopsTests — the code of "Run loops" and of "Modes".

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("Run loops") struct RunLoopsTests {
  @Test func aTimerInALoop() {
    let ticks = Guarded(0)
    let thread = JoinableThread {
      // block: RunLoops/timer
      // SAFETY: only this thread's loop calls the block.
      nonisolated(unsafe) var left = 3
      let timer = Timer(timeInterval: 0.01, repeats: true) { timer in
        left -= 1
        if left == 0 { timer.invalidate() }
      }
      RunLoop.current.add(timer, forMode: .default)
      while left > 0 {
        _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      }
      // end
      ticks.withValue { $0 = 3 - left }
    }
    thread.start()
    thread.join()
    #expect(ticks.current == 3)
  }

  @Test func aLoopWithNothingToServeReturns() {
    let thread = JoinableThread {
      // block: RunLoops/empty
      let ran = RunLoop.current.run(mode: .default, before: .distantFuture)
      // false, at once: no source, no timer, no block
      // end
      return ran
    }
    thread.start()
    #expect(thread.join() == false)
  }

  @Test func anObserver() {
    let thread = JoinableThread {
      // block: RunLoops/observer
      // SAFETY: only this thread's loop calls the block.
      nonisolated(unsafe) var steps: [CFRunLoopActivity] = []
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.allActivities.rawValue, true, 0
      ) { _, step in
        steps.append(step)
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, .defaultMode)
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), .defaultMode) {
        CFRunLoopStop(CFRunLoopGetCurrent())
      }
      CFRunLoopRunInMode(.defaultMode, 60, false)
      // end
      return steps
    }
    thread.start()
    let steps = thread.join()
    #expect(steps.first == .entry && steps.last == .exit)
  }

  @Test func aRunInOneModeCallsNothingOfAnother() {
    let log = EventLog<String>()
    let thread = JoinableThread {
      let print: @Sendable (String) -> Void = { log.append($0) }
      // block: Modes/private
      let copying = RunLoop.Mode("org.example.copying")
      let loop = RunLoop.current
      loop.perform(inModes: [.default]) { print("a click") }
      loop.perform(inModes: [copying]) { print("a part is copied") }

      _ = loop.run(mode: copying, before: .distantFuture)  // the click waits
      _ = loop.run(mode: .default, before: .distantFuture)
      // end
    }
    thread.start()
    thread.join()
    #expect(log.all == ["a part is copied", "a click"])
  }

  @Test func theCommonModes() {
    let thread = JoinableThread {
      // block: Modes/common
      let copying = RunLoop.Mode("org.example.copying")
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), CFRunLoopMode(copying))

      // SAFETY: only this thread's loop calls the block.
      nonisolated(unsafe) var ticks = 0
      let timer = Timer(timeInterval: 0.01, repeats: true) { _ in
        ticks += 1
        CFRunLoopStop(CFRunLoopGetCurrent())  // a timer alone does not end a run
      }
      RunLoop.current.add(timer, forMode: .common)  // it fires in both
      _ = RunLoop.current.run(mode: .default, before: .distantFuture)
      _ = RunLoop.current.run(mode: copying, before: .distantFuture)
      timer.invalidate()
      // end
      return ticks
    }
    thread.start()
    #expect(thread.join() == 2)
  }
}
