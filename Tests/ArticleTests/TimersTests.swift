// TimersTests — the code of "Timers".

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite("Timers") struct TimersTests {
  @Test func aTimerThatRepeats() throws {
    let ticks = EventCounter()
    let tick: @Sendable () -> Void = { ticks.increment() }
    // block: Timers/repeat
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "org.example.clock"))
    timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(2))
    timer.setEventHandler { tick() }
    timer.activate()
    // end
    try ticks.wait(for: 3)
    // block: Timers/cancel
    timer.cancel()
    // end
    #expect(timer.isCancelled)
  }

  @Test func oneShotAndCancelled() {
    let shown = EventCounter()
    let show: @Sendable () -> Void = { shown.increment() }
    // block: Timers/after
    let reminder = DispatchWorkItem { show() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3600), execute: reminder)
    reminder.cancel()
    // end
    #expect(reminder.isCancelled && shown.value == 0)
  }

  @Test func theClocks() {
    // block: Timers/clocks
    let whileAwake = DispatchTime.now() + .seconds(5)  // does not advance while the machine sleeps
    let onTheWall = DispatchWallTime.now() + .seconds(5)  // follows changes of the system date
    // end
    #expect(whileAwake > .now())
    #expect(onTheWall > .now())
  }

  @Test func debounced() throws {
    let searches = Guarded<[String]>([])
    let search: @Sendable (String) -> Void = { text in searches.withValue { $0.append(text) } }
    let begin = Uptime.now()
    // block: Timers/debounce
    let quiet = Debouncer(quietTime: .milliseconds(300), queue: .global())
    for text in ["s", "si", "sig"] {
      quiet.submit { search(text) }
    }
    // end
    let isQuick = Uptime.now().since(begin) < .milliseconds(300)
    #expect(searches.wait(limit: RealTime.wedge) { $0.last == "sig" })
    // A caller that is held up for longer than the quiet time has an earlier text searched as well.
    #expect(searches.current == ["sig"] || !isQuick)
  }
}
