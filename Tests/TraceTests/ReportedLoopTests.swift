// What a report says of run loops and of the pool.

import SignalboxDispatch
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct ReportedLoopTests {
  @Test func aLoopThatSleepsIsShownWithItsModeAndThread() throws {
    let thread = try LoopThread(mode: CFRunLoopMode(rawValue: "report.mode"))
    try waitUntilAsleep(thread.loop)
    let shown = try inReport("loop asleep") { report in
      report.runLoops.first { $0.mode == "report.mode" && $0.isAsleep }
    }
    #expect(shown.step == nil)
    #expect(shown.depth == 1)
    #expect(!shown.isMain)
    let number = try #require(shown.thread)
    let waiting = try inReport("thread") { $0.threads.first { $0.number == number } }
    #expect(waiting.state == .waiting)
    try thread.end()
    try inReport("report without the loop") { report in
      report.runLoops.contains { $0.thread == number } ? nil : ()
    }
  }

  @Test func aLoopThatIsAwakeSaysAtWhichStep() throws {
    let thread = try LoopThread()
    let (mine, line) = try thread.run {
      let report = SignalboxReport.now
      let mine = report.runLoops.first { $0.step == "4 a block is performed" }
      return (
        mine, report.text.contains(" is awake in the mode \"kCFRunLoopDefaultMode\", at step 4")
      )
    }
    #expect(mine?.mode == "kCFRunLoopDefaultMode")
    #expect(line)
    try thread.end()
  }

  @Test func aTimerOfALoopIsShownWithIt() throws {
    let thread = try LoopThread(mode: CFRunLoopMode(rawValue: "report.timer")) { loop in
      let timer = CFRunLoopTimerCreateWithHandler(
        kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 3600, 0, 0, 0
      ) { _ in }
      CFRunLoopAddTimer(loop, timer, CFRunLoopMode(rawValue: "report.timer"))
    }
    let shown = try inReport("loop with a timer") { report in
      report.runLoops.first { $0.mode == "report.timer" && $0.nextTimer != nil }
    }
    #expect(shown.timers == 1)
    #expect((0...3_601_000_000_000).contains(try #require(shown.nextTimer)))
    try thread.end()
  }

  @Test func thePoolSaysHowManyWorkersThereAre() throws {
    DispatchQueue.global().sync {}
    DispatchQueue(label: "report.pool").async {}
    let pools = SignalboxReport.now.pools
    #expect(pools.map(\.name) == ["default", "utility", "background"])
    #expect(pools[0].width > 0)
    #expect(try #require(pools[0].workers) > 0)
    #expect(SignalboxReport.text.contains("\nthe pool of default priority: "))
  }
}
