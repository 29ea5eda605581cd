// RunLoopTimerTests — D4, D5 and D13 for timers of run loops: they wait for their interval, are
// freed, and share wake-ups.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("Timers of run loops", .guarded)
struct RunLoopTimerTests {
  private var delay: Double { Double(RealTime.delay.wholeNanoseconds) / 1e9 }

  /// D4. The toolchain's timer fires in the first pass.
  @Test func timerThatIsMadeWithAnIntervalWaitsForItOnceItIsAdded() {
    let mode = CFRunLoopMode(#function)
    let fires = EventLog<Uptime>()
    let made = Uptime.now()
    let timer = Timer(timeInterval: delay, repeats: false) { _ in fires.append(Uptime.now()) }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    #expect(CFRunLoopRunInMode(mode, 1_000, false) == .finished)
    #expect(fires.count == 1)
    #expect(fires.all.allSatisfy { $0 >= made + RealTime.delay })
  }

  /// D5. The toolchain keeps a timer and its block forever.
  @Test func timerIsFreedWithItsBlockAsSoonAsItHasFiredOrIsInvalidated() {
    let mode = CFRunLoopMode(#function)
    let tracker = LeakTracker()
    let timers = WeakWatch()
    var kept: [CFRunLoopTimer] = []
    for repeats in [false, true] {
      let object = tracker.makeObject()
      let timer = Timer(fire: Date(), interval: 1_000, repeats: repeats) { _ in object.touch() }
      RunLoop.current.add(timers.watch(timer), forMode: RunLoop.Mode(mode))
      if repeats { kept.append(timer.getCFRunLoopTimer()) }
    }
    CFRunLoopRunInMode(mode, 0, false)
    #expect(tracker.freed == 1)
    #expect(timers.alive == 1)
    for timer in kept { CFRunLoopTimerInvalidate(timer) }
    #expect(tracker.alive == 0)
    #expect(timers.alive == 0)
  }

  /// D13. A hundred timers with different times: the toolchain wakes for each of them.
  @Test func timersWithOverlappingToleranceShareOneWakeUp() {
    let mode = CFRunLoopMode(#function)
    let fires = EventCounter("fires")
    let wakeUps = EventCounter("wake-ups")
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.afterWaiting.rawValue, true, 0
    ) { _, _ in wakeUps.increment() }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
    let first = Date(timeIntervalSinceNow: delay)
    for number in 0..<100 {
      let timer = Timer(fire: first + delay * Double(number) / 100, interval: 0, repeats: false) {
        _ in fires.increment()
      }
      timer.tolerance = delay * Double(200 - number) / 100
      RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    }
    #expect(CFRunLoopRunInMode(mode, 1_000, false) == .finished)
    CFRunLoopObserverInvalidate(observer)
    #expect(fires.value == 100)
    // Zero, if the first timer was due before the loop slept.
    #expect(wakeUps.value <= 1)
  }
}
