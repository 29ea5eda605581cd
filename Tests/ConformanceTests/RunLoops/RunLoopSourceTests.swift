// RunLoopSourceTests — Apple's "CFRunLoopSource": callbacks, order, signals, several modes and
// loops.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

private let mode = CFRunLoopMode("test")

@Suite struct RunLoopSourceTests {
  @Test func signalsBeforeTheSourceIsPerformedCountAsOne() throws {
    try onPlainThread {
      let performed = EventCounter()
      let source = makeSource { performed.increment() }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      for _ in 0..<3 { CFRunLoopSourceSignal(source) }
      CFRunLoopRunInMode(mode, 0, false)
      CFRunLoopRunInMode(mode, 0, false)
      #expect(performed.value == 1)
    }
  }

  @Test func aSignalWhileItIsPerformedPerformsItOnceMore() throws {
    try onPlainThread {
      let performed = EventCounter()
      let own = Guarded<CFRunLoopSource?>(nil)
      let source = makeSource {
        if performed.increment() == 1 { CFRunLoopSourceSignal(own.current) }
      }
      own.withValue { $0 = source }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(mode, 0, false)
      CFRunLoopRunInMode(mode, 0, false)
      #expect(performed.value == 2)
      own.withValue { $0 = nil }
    }
  }

  @Test func lowerOrdersGoFirstAndEqualOnesInOrderOfArrival() throws {
    for orders in everyOrder(of: [-2, 0, 0, 7]) {
      try onPlainThread {
        let log = EventLog<[Int]>()
        for (index, order) in orders.enumerated() {
          let source = makeSource(order: order) { log.append([order, index]) }
          #expect(CFRunLoopSourceGetOrder(source) == order)
          CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
          CFRunLoopSourceSignal(source)
        }
        CFRunLoopRunInMode(mode, 0, false)
        let expected = orders.enumerated().map { [$1, $0] }.sorted {
          $0.lexicographicallyPrecedes($1)
        }
        #expect(log.all == expected)
      }
    }
  }

  @Test func aSourceIsNotifiedOfEachModeItEntersAndLeaves() throws {
    let log = EventLog<String>()
    let source = makeSource(
      schedule: { _, mode in log.append("+\(mode.rawValue)") },
      cancel: { _, mode in log.append("-\(mode.rawValue)") }, {})
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, source, CFRunLoopMode("a"))
      CFRunLoopAddSource(loop, source, CFRunLoopMode("a"))
      CFRunLoopAddSource(loop, source, CFRunLoopMode("b"))
      CFRunLoopRemoveSource(loop, source, CFRunLoopMode("c"))
      CFRunLoopRemoveSource(loop, source, CFRunLoopMode("a"))
      CFRunLoopRemoveSource(loop, source, CFRunLoopMode("a"))
      #expect(!CFRunLoopContainsSource(loop, source, CFRunLoopMode("a")))
      #expect(CFRunLoopContainsSource(loop, source, CFRunLoopMode("b")))
      #expect(CFRunLoopSourceIsValid(source))
      CFRunLoopSourceInvalidate(source)
      CFRunLoopSourceInvalidate(source)
      #expect(!CFRunLoopSourceIsValid(source))
      CFRunLoopAddSource(loop, source, CFRunLoopMode("d"))
      #expect(!CFRunLoopContainsSource(loop, source, CFRunLoopMode("d")))
    }
    #expect(log.all == ["+a", "+b", "-a", "-b"])
  }

  @Test func aSourceEntersAndLeavesTheCommonModesTogether() throws {
    let log = EventLog<String>()
    let source = makeSource(
      schedule: { _, mode in log.append("+\(mode.rawValue.dropLast(11))") },
      cancel: { _, mode in log.append("-\(mode.rawValue.dropLast(11))") }, {})
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, source, .commonModes)
      #expect(CFRunLoopContainsSource(loop, source, .commonModes))
      #expect(CFRunLoopContainsSource(loop, source, .defaultMode))
      CFRunLoopAddCommonMode(loop, CFRunLoopMode("ownRunLoopMode"))
      CFRunLoopRemoveSource(loop, source, .commonModes)
      CFRunLoopRemoveSource(loop, source, .commonModes)
      #expect(!CFRunLoopContainsSource(loop, source, .defaultMode))
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopRemoveSource(loop, source, .commonModes)
      #expect(CFRunLoopContainsSource(loop, source, .defaultMode))
    }
    #expect(log.count == 10)
    #expect(log.all[..<3].allSatisfy { $0.hasPrefix("+") })
    #expect(log.all[3] == "+own")
    #expect(log.all[4..<8].allSatisfy { $0.hasPrefix("-") })
  }

  @Test func aSourceOfTwoLoopsIsPerformedByOneOfThemAndCancelledInBoth() throws {
    let log = EventLog<String>()
    let performed = EventCounter()
    let source = makeSource(
      schedule: { _, _ in log.append("schedule") }, cancel: { _, _ in log.append("cancel") },
      { performed.increment() })
    let one = try LoopThread(), other = try LoopThread()
    CFRunLoopAddSource(one.loop, source, .defaultMode)
    CFRunLoopAddSource(other.loop, source, .defaultMode)
    for count in 1...20 {
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(one.loop)
      CFRunLoopWakeUp(other.loop)
      try performed.wait(for: count)
    }
    CFRunLoopRemoveSource(one.loop, source, .defaultMode)
    CFRunLoopSourceSignal(source)
    CFRunLoopWakeUp(other.loop)
    try performed.wait(for: 21)
    CFRunLoopSourceInvalidate(source)
    CFRunLoopSourceSignal(source)
    try one.end()
    try other.end()
    #expect(performed.value == 21)
    #expect(log.all == ["schedule", "schedule", "cancel", "cancel"])
  }

  @Test func aSourceRemovedByAnotherBeforeItsTurnIsNotPerformed() throws {
    try onPlainThread {
      let performed = EventCounter()
      let victims = [
        makeSource(order: 1) { performed.increment() },
        makeSource(order: 2) { performed.increment() },
      ]
      let loop = CFRunLoopGetCurrent()!
      let killer = makeSource(order: 0) {
        CFRunLoopSourceInvalidate(victims[0])
        CFRunLoopRemoveSource(loop, victims[1], mode)
      }
      for source in victims + [killer] {
        CFRunLoopAddSource(loop, source, mode)
        CFRunLoopSourceSignal(source)
      }
      CFRunLoopRunInMode(mode, 0, false)
      #expect(performed.value == 0)
      // The removed source has kept its signal.
      CFRunLoopAddSource(loop, victims[1], mode)
      CFRunLoopRunInMode(mode, 0, false)
      #expect(performed.value == 1)
    }
  }

  @Test func aSourceMayRemoveItselfWhileItIsPerformed() throws {
    try onPlainThread {
      let own = Guarded<CFRunLoopSource?>(nil)
      let performed = EventCounter()
      let source = makeSource {
        performed.increment()
        CFRunLoopSourceInvalidate(own.current)
      }
      own.withValue { $0 = source }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, loopLimit, false) == .finished)
      #expect(performed.value == 1)
      own.withValue { $0 = nil }
    }
  }

  @Test func aScheduleCallbackThatRemovesItsSourceIsNotifiedAfterwards() throws {
    let log = EventLog<String>()
    let own = Guarded<CFRunLoopSource?>(nil)
    let source = makeSource(
      schedule: { _, _ in
        CFRunLoopSourceInvalidate(own.current)
        log.append("schedule")
      }, cancel: { _, _ in log.append("cancel") }, {})
    own.withValue { $0 = source }
    try onPlainThread { CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode) }
    #expect(log.all == ["schedule", "cancel"])
    own.withValue { $0 = nil }
  }
}
