// RunLoopObserverTests — Apple's "CFRunLoopObserver": activities, order, repeats, several
// modes.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

private let mode = CFRunLoopMode("test")

@Suite struct RunLoopObserverTests {
  private static func pass(_ mode: CFRunLoopMode = mode) {
    let keeper = makeSource()
    CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, mode)
    CFRunLoopRunInMode(mode, 0, false)
    CFRunLoopSourceInvalidate(keeper)
  }

  @Test func eachObserverIsCalledForTheActivitiesItRequested() throws {
    let activities: [CFRunLoopActivity] = [
      .entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit,
    ]
    for activity in activities {
      try onPlainThread {
        let log = EventLog<UInt>()
        let loop = CFRunLoopGetCurrent()!
        let observer = makeObserver(of: activity) { log.append($0.rawValue) }
        #expect(CFRunLoopObserverGetActivities(observer) == activity.rawValue)
        #expect(CFRunLoopObserverDoesRepeat(observer))
        CFRunLoopAddObserver(loop, observer, mode)
        CFRunLoopAddSource(loop, makeSource(), mode)
        #expect(CFRunLoopRunInMode(mode, 0.005, false) == .timedOut)
        #expect(Set(log.all) == [activity.rawValue])
      }
    }
  }

  @Test func aLoopThatDoesNotSleepReportsNoSleep() throws {
    try onPlainThread {
      let told = EventCounter()
      CFRunLoopAddObserver(
        CFRunLoopGetCurrent(),
        makeObserver(of: [.beforeWaiting, .afterWaiting]) { _ in told.increment() }, mode)
      Self.pass()
      #expect(told.value == 0)
    }
  }

  @Test func lowerOrdersAreCalledFirst() throws {
    try onPlainThread {
      let log = EventLog<Int>()
      for order in [5, -3, 0] {
        let observer = makeObserver(of: .entry, order: order) { _ in log.append(order) }
        #expect(CFRunLoopObserverGetOrder(observer) == order)
        CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
      }
      Self.pass()
      #expect(log.all == [-3, 0, 5])
    }
  }

  @Test func anObserverThatDoesNotRepeatIsCalledOnceAndRemoved() throws {
    let tracker = LeakTracker()
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let told = EventCounter()
      let object = tracker.makeObject()
      let observer = makeObserver(of: .allActivities, repeats: false) { _ in
        object.touch()
        told.increment()
      }
      #expect(!CFRunLoopObserverDoesRepeat(observer))
      CFRunLoopAddObserver(loop, observer, mode)
      CFRunLoopAddObserver(loop, observer, .commonModes)
      Self.pass()
      Self.pass(.defaultMode)
      #expect(told.value == 1)
      #expect(!CFRunLoopObserverIsValid(observer))
      #expect(!CFRunLoopContainsObserver(loop, observer, mode))
    }
    try tracker.waitUntilAllAreFreed()
  }

  @Test func anInvalidObserverIsFreedWithItsCaptures() throws {
    let tracker = LeakTracker()
    let observer = makeObserver(of: .entry) { [object = tracker.makeObject()] _ in object.touch() }
    #expect(tracker.alive == 1)
    CFRunLoopObserverInvalidate(observer)
    CFRunLoopObserverInvalidate(observer)
    #expect(tracker.alive == 0)
    #expect(!CFRunLoopObserverIsValid(observer))
  }

  @Test func anObserverIsInSeveralModesOfOneLoopOnly() throws {
    let other = try onPlainThread { CFRunLoopGetCurrent()! }
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let told = EventCounter()
      let observer = makeObserver(of: .entry) { _ in told.increment() }
      for name in ["a", "b"] { CFRunLoopAddObserver(loop, observer, CFRunLoopMode(name)) }
      CFRunLoopAddObserver(other, observer, mode)
      #expect(!CFRunLoopContainsObserver(other, observer, mode))
      for name in ["a", "b", "c"] { Self.pass(CFRunLoopMode(name)) }
      #expect(told.value == 2)
      CFRunLoopRemoveObserver(loop, observer, CFRunLoopMode("a"))
      for name in ["a", "b"] { Self.pass(CFRunLoopMode(name)) }
      #expect(told.value == 3)
    }
  }

  @Test func severalChangesInOnePassLeadToOneRedraw() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let isDirty = Guarded(false), redrawn = EventCounter()
      for _ in 0..<4 {
        let source = makeSource { isDirty.withValue { $0 = true } }
        CFRunLoopAddSource(loop, source, mode)
        CFRunLoopSourceSignal(source)
      }
      CFRunLoopAddObserver(
        loop,
        makeObserver(of: .beforeWaiting) { _ in
          let wasDirty = isDirty.withValue { isDirty in
            defer { isDirty = false }
            return isDirty
          }
          if wasDirty { redrawn.increment() }
        }, mode)
      #expect(CFRunLoopRunInMode(mode, 0.01, false) == .timedOut)
      // That run may have ended before it slept.
      #expect(CFRunLoopRunInMode(mode, 0.001, false) == .timedOut)
      #expect(redrawn.value == 1)
    }
  }

  @Test func aRunWithinAnObserverDoesNotCallThatObserver() throws {
    try onPlainThread {
      let log = EventLog<String>()
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddObserver(
        loop,
        makeObserver(of: .beforeSources) { _ in
          log.append("outer")
          CFRunLoopRunInMode(mode, 0, false)
          log.append("back")
        }, mode)
      CFRunLoopAddObserver(
        loop, makeObserver(of: .beforeSources, order: 1) { _ in log.append("other") }, mode)
      Self.pass()
      #expect(log.all == ["outer", "other", "back", "other"])
    }
  }

  @Test func anObserverRemovedByAnotherBeforeItsTurnIsNotCalled() throws {
    try onPlainThread {
      let told = EventCounter()
      let loop = CFRunLoopGetCurrent()!
      let victims = (0..<2).map { _ in
        makeObserver(of: .entry, order: 1) { _ in told.increment() }
      }
      for victim in victims { CFRunLoopAddObserver(loop, victim, mode) }
      CFRunLoopAddObserver(
        loop,
        makeObserver(of: .entry) { _ in
          CFRunLoopObserverInvalidate(victims[0])
          CFRunLoopRemoveObserver(CFRunLoopGetCurrent(), victims[1], mode)
        }, mode)
      Self.pass()
      #expect(told.value == 0)
    }
  }
}
