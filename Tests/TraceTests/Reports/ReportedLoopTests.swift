// ReportedLoopTests — what a report says about run loops and the pool.

import CSignalbox
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
    _ = try inReport("thread that waits") { report in
      report.threads.first { $0.number == number && $0.state == .waiting }
    }
    try thread.end()
    try inReport("report without the loop") { report in
      report.runLoops.contains { $0.thread == number } ? nil : ()
    }
  }

  @Test func aLoopThatIsAwakeShowsItsStep() throws {
    let thread = try LoopThread()
    let (number, report) = try thread.run { (Int(csb_thread_number()), SignalboxReport.now) }
    let mine = report.runLoops.first { $0.thread == number }
    #expect(mine?.step == "4 a block is performed")
    #expect(mine?.mode == "kCFRunLoopDefaultMode")
    let words = " is awake in the mode \"kCFRunLoopDefaultMode\", at step 4"
    #expect(
      report.text.split(separator: "\n").contains {
        $0.contains("thread \(number) ") && $0.contains(words)
      })
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

  @Test func thePoolShowsItsNumberOfWorkers() throws {
    // An idle worker may end.
    let (begun, over) = (Gate(), Gate())
    DispatchQueue(label: "report.pool").async {
      begun.open()
      over.pass()
    }
    try begun.wait()
    let report = SignalboxReport.now
    #expect(report.pools.map(\.name) == ["default", "utility", "background"])
    #expect(report.pools[0].width > 0)
    #expect(try #require(report.pools[0].workers) > 0)
    #expect(
      report.text.split(separator: "\n").contains {
        $0.hasPrefix("the pool of default priority: ")
      })
    over.open()
  }
}
