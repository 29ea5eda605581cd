// RunLoopTimerFunctionTests — timers in the C interface, with their contexts.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct RunLoopTimerFunctionTests {
  /// The object that a context points to.
  private final class Told {
    var retains = 0
    var releases = 0
    var calls: [Bool] = []
    var pointer: UnsafeMutableRawPointer {
      // SAFETY: the test keeps the object longer than any timer that has the pointer.
      Unmanaged.passUnretained(self).toOpaque()
    }
    static func at(_ pointer: UnsafeRawPointer?) -> Told {
      // SAFETY: as above.
      Unmanaged<Told>.fromOpaque(pointer!).takeUnretainedValue()
    }
    var context: CFRunLoopTimerContext {
      CFRunLoopTimerContext(
        version: 0, info: pointer,
        retain: { info in
          Told.at(info).retains += 1
          return info
        },
        release: { Told.at($0).releases += 1 },
        copyDescription: { _ in "what was told" })
    }
  }

  @Test func functionIsCalledWithTheContextsPointerWhichIsKeptAndReleasedOnce() {
    let mode = CFRunLoopMode(#function)
    let told = Told()
    var context = told.context
    let timer = CFRunLoopTimerCreate(
      kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() - 1, 0, 0, 0,
      { timer, info in Told.at(info).calls.append(CFRunLoopTimerIsValid(timer)) }, &context)!
    #expect(told.retains == 1)
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
    #expect(CFRunLoopContainsTimer(CFRunLoopGetCurrent(), timer, mode))
    CFRunLoopRunInMode(mode, 0, false)
    #expect(told.calls == [true])
    #expect(told.releases == 1)
    #expect(!CFRunLoopTimerIsValid(timer))
    #expect(CFRunLoopTimerGetNextFireDate(timer) == 0)
    withExtendedLifetime(told) {}
  }

  @Test func pointerIsReleasedWithATimerThatWasNeverAdded() {
    let told = Told()
    do {
      var context = told.context
      _ = CFRunLoopTimerCreate(kCFAllocatorDefault, 0, 1, 0, 0, { _, _ in }, &context)
    }
    #expect(told.retains == 1)
    #expect(told.releases == 1)
  }

  /// The call keeps the pointer, which is released when the call ends.
  @Test func pointerIsReleasedAfterTheCallThatInvalidates() {
    let mode = CFRunLoopMode(#function)
    let told = Told()
    var context = told.context
    let timer = CFRunLoopTimerCreate(
      kCFAllocatorDefault, 0, 1_000, 0, 0,
      { timer, info in
        CFRunLoopTimerInvalidate(timer)
        Told.at(info).calls.append(Told.at(info).releases == 0)
      }, &context)!
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, mode)
    CFRunLoopRunInMode(mode, 0, false)
    #expect(told.calls == [true])
    #expect(told.releases == 1)
  }

  @Test func everyAttributeOfATimerReadsBack() {
    let told = Told()
    var context = told.context
    let date = CFAbsoluteTimeGetCurrent() + 1_000
    let timer = CFRunLoopTimerCreate(
      kCFAllocatorDefault, date, 2.5, 0, -3, { _, _ in }, &context)!
    #expect(CFRunLoopTimerGetNextFireDate(timer) == date)
    #expect(CFRunLoopTimerGetInterval(timer) == 2.5)
    #expect(CFRunLoopTimerDoesRepeat(timer))
    #expect(CFRunLoopTimerGetOrder(timer) == -3)
    #expect(CFRunLoopTimerGetTolerance(timer) == 0)
    CFRunLoopTimerSetTolerance(timer, 1)
    #expect(CFRunLoopTimerGetTolerance(timer) == 1)
    var found = CFRunLoopTimerContext()
    CFRunLoopTimerGetContext(timer, &found)
    #expect(found.info == told.pointer)
    #expect(told.retains == 1)
    #expect(timer.description.contains("what was told"))
    #expect(CFRunLoopTimerGetTypeID() != CFRunLoopObserverGetTypeID())
    CFRunLoopTimerInvalidate(timer)
    #expect(told.releases == 1)
  }

  @Test func timerOfTheCommonModesIsInAllOfThem() {
    let loop = CFRunLoopGetCurrent()!
    let mode = CFRunLoopMode(#function)
    let fires = EventCounter("fires")
    let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 1_000, 0, 0) { _ in fires.increment() }!
    CFRunLoopAddTimer(loop, timer, .commonModes)
    CFRunLoopAddCommonMode(loop, mode)
    #expect(CFRunLoopContainsTimer(loop, timer, .commonModes))
    #expect(CFRunLoopContainsTimer(loop, timer, mode))
    CFRunLoopRunInMode(mode, 0, false)
    #expect(fires.value == 1)
    CFRunLoopTimerSetNextFireDate(timer, 0)
    CFRunLoopRunInMode(CFRunLoopMode(RunLoop.Mode.eventTracking), 0, false)
    #expect(fires.value == 2)
    CFRunLoopRemoveTimer(loop, timer, .commonModes)
    #expect(!CFRunLoopContainsTimer(loop, timer, mode))
    CFRunLoopTimerSetNextFireDate(timer, 0)
    CFRunLoopRunInMode(mode, 0, false)
    #expect(fires.value == 2)
    #expect(CFRunLoopTimerIsValid(timer))
    CFRunLoopTimerInvalidate(timer)
  }

  @Test func blockOfATimerThatTheCInterfaceAddsHasATimerThatIsEqual() {
    let mode = CFRunLoopMode(#function)
    let found = EventLog<Bool>()
    let inner: CFRunLoopTimer
    do {
      let wanted = Guarded<CFRunLoopTimer?>(nil)
      let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { timer in
        found.append(timer.getCFRunLoopTimer() === wanted.current)
      }
      inner = timer.getCFRunLoopTimer()
      wanted.withValue { $0 = inner }
    }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), inner, mode)
    CFRunLoopRunInMode(mode, 0, false)
    #expect(found.all == [true])
  }
}
