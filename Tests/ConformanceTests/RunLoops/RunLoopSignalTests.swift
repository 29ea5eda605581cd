// RunLoopSignalTests — signals of input sources, including signals that cannot be performed.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("Signals of input sources", .guarded) struct RunLoopSignalTests {
  @Test func onlyAWakeUpWakesTheLoopNotASignal() throws {
    let log = TrialLog()
    let source = makeNotingSource("a", log)
    let running = try RunningLoop { CFRunLoopAddSource($0, source, .defaultMode) }
    CFRunLoopSourceSignal(source)
    letRealTimePass(RealTime.settling)
    #expect(log.performed == [])
    #expect(CFRunLoopIsWaiting(running.loop))
    CFRunLoopWakeUp(running.loop)
    try log.wait(forCount: 2)
    #expect(log.performed == ["a"])
    try running.end()
  }

  @Test func aWakeUpAlonePerformsNothing() throws {
    let log = TrialLog()
    let source = makeNotingSource("a", log)
    let observer = makeNotingObserver(of: .afterWaiting) { log.append($0) }
    let running = try RunningLoop { loop in
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopAddObserver(loop, observer, .defaultMode)
    }
    CFRunLoopWakeUp(running.loop)
    try log.wait(forCount: 2)
    try waitUntilSleeping(running.loop)
    #expect(log.performed == [])
    try running.end()
  }

  @Test func aSignalBeforeTheSourceIsAddedIsKept() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let source = makeNotingSource("a", log)
      CFRunLoopSourceSignal(source)
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopRunInMode(.own, 0, false)
    }
    #expect(log.performed == ["a"])
  }

  @Test func aSignalIsKeptWhenItsSourceIsRemovedAndAddedAgain() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let source = makeNotingSource("a", log)
      for mode in [CFRunLoopMode.own, .other] { CFRunLoopAddSource(loop, makeKeeper(), mode) }
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopSourceSignal(source)
      CFRunLoopRemoveSource(loop, source, .own)
      CFRunLoopRunInMode(.own, 0, false)
      #expect(log.performed == [])
      CFRunLoopAddSource(loop, source, .other)
      CFRunLoopRunInMode(.other, 0, false)
      #expect(log.performed == ["a"])
    }
  }

  @Test func anInvalidatedSourceIsNeverPerformedNorAddedAgain() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let source = makeNotingSource("a", log)
      CFRunLoopAddSource(loop, makeKeeper(), .own)
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopSourceSignal(source)
      CFRunLoopSourceInvalidate(source)
      CFRunLoopSourceInvalidate(source)
      CFRunLoopSourceSignal(source)
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopRunInMode(.own, 0, false)
      #expect(!CFRunLoopSourceIsValid(source))
      #expect(!CFRunLoopContainsSource(loop, source, .own))
    }
    #expect(log.all == ["schedule a conformance", "cancel a conformance"])
  }

  @Test func aSourceThatAnotherInvalidatesInTheSamePassIsNotPerformed() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let second = makeNotingSource("second", log, order: 1)
      let first = makeNotingSource("first", log, order: -1) { CFRunLoopSourceInvalidate(second) }
      for source in [second, first] {
        CFRunLoopAddSource(loop, source, .own)
        CFRunLoopSourceSignal(source)
      }
      CFRunLoopRunInMode(.own, 0, false)
      CFRunLoopRunInMode(.own, 0, false)
    }
    #expect(log.performed == ["first"])
  }

  @Test func callbacksRunOnTheThreadThatAddsOrRemoves() throws {
    let running = try RunningLoop()
    let loop = running.loop!
    let right = EventCounter(), here = kernelThreadNumber()
    var context = CFRunLoopSourceContext()
    context.schedule = { _, found, mode in
      if found === loop, mode == .own, kernelThreadNumber() == here { right.increment() }
    }
    context.cancel = context.schedule
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    CFRunLoopAddSource(loop, source, .own)
    #expect(right.value == 1)
    CFRunLoopRemoveSource(loop, source, .own)
    #expect(right.value == 2)
    try running.end()
  }

  @Test func aSignalOfASourceInTwoLoopsIsPerformedByOneOfThem() throws {
    let log = TrialLog()
    let source = makeNotingSource("a", log)
    let loops = try (0..<2).map { _ in
      try RunningLoop { CFRunLoopAddSource($0, source, .defaultMode) }
    }
    for round in 1...20 {
      CFRunLoopSourceSignal(source)
      for running in loops { CFRunLoopWakeUp(running.loop) }
      try log.wait(forCount: 2 + round)
      for running in loops { try waitUntilSleeping(running.loop) }
      #expect(log.performed.count == round)
    }
    for running in loops { try running.end() }
  }

  @Test func anyThreadMayChangeASleepingLoop() throws {
    let log = TrialLog()
    let running = try RunningLoop()
    let loop = running.loop!
    #expect(RunLoop.of(loop).currentMode == .default)
    let source = makeNotingSource("a", log)
    CFRunLoopAddCommonMode(loop, .own)
    CFRunLoopAddSource(loop, source, .commonModes)
    #expect(log.count == 4)
    #expect(CFRunLoopContainsSource(loop, source, .own))
    #expect(CFRunLoopCopyAllModes(loop).contains(.own))
    CFRunLoopPerformBlock(loop, .defaultMode) { log.append("block") }
    CFRunLoopWakeUp(loop)
    try log.wait(forCount: 5)
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(loop)
    try log.wait(forCount: 6)
    CFRunLoopRemoveSource(loop, source, .commonModes)
    #expect(log.count == 10)
    #expect(try running.end() == .stopped)
    #expect(log.all[4...5] == ["block", "perform a"])
  }

  @Test func theNamesOfModesConvertBothWays() {
    #expect(kCFRunLoopDefaultMode == CFRunLoopMode(RunLoop.Mode.default))
    #expect(RunLoop.Mode(kCFRunLoopCommonModes) == .common)
    #expect(RunLoop.Mode.default.rawValue == "kCFRunLoopDefaultMode")
    #expect(RunLoop.Mode.common.rawValue == "kCFRunLoopCommonModes")
  }
}
