// Scene+RunLoop — passes of a run loop: how long it is from an observer's call to the work.

import SignalboxDispatch
import SignalboxRunLoop
import SignalboxTrace

extension Scene {
  /// For how long the observer computes at least, in microseconds.
  private static let observing = 400

  static let runLoop = Scene(
    name: "run-loop", title: "Passes of a run loop, with an observer",
    source: "Not a figure of the documents: what their lists of a loop's steps say, recorded.",
    steps: [
      Step(
        "The loop tells its observers that sources are about to fire; the source comes after the "
          + "observer's call.",
        [
          .tells(.beforeSources), .marks("observer: sources", on: .main), .works(.source),
          .marks("source", on: .main),
        ],
        facts: [span(to: .source)]),
      Step("With nothing to do it is about to sleep.", [.tells(.beforeWaiting)]),
      Step(
        "A timer wakes it up. It tells its observers, and fires the timer after the observer's call.",
        [
          .tells(.afterWaiting), .marks("observer: woken up", on: .main), .works(.timer),
          .marks("timer", on: .main),
        ],
        facts: [span(to: .timer)]),
    ],
    perform: { end in
      // code: run-loop
      let loop = CFRunLoopGetCurrent()
      let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in
        TraceRecorder.mark("timer")
        Work.compute(microseconds: 700)
        CFRunLoopStop(loop)
      }
      let told: CFRunLoopActivity = [.beforeSources, .beforeWaiting, .afterWaiting]
      let observer = CFRunLoopObserverCreateWithHandler(nil, told.rawValue, true, 0) {
        _, activity in
        if activity == .beforeWaiting {
          // Not before: otherwise the timer might be due when the loop is not asleep yet.
          CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.0015)
          CFRunLoopAddTimer(loop, timer, .defaultMode)
          return
        }
        TraceRecorder.mark(activity == .afterWaiting ? "observer: woken up" : "observer: sources")
        Work.compute(microseconds: observing)
      }
      var context = CFRunLoopSourceContext()
      context.perform = { _ in
        TraceRecorder.mark("source")
        Work.compute(microseconds: 700)
      }
      let source = CFRunLoopSourceCreate(nil, 0, &context)
      CFRunLoopAddObserver(loop, observer, .defaultMode)
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopSourceSignal(source)
      // So long a time never ends.
      CFRunLoopRunInMode(.defaultMode, 1e10, false)
      end()
      // end
    })

  /// From the last step that observers were told of before the work, to the work: the observer's
  /// call lies in it.
  private static func span(to work: LoopStep) -> Fact {
    Fact("from the observers' step to the work it is as long as the observer's call") { run in
      let loop = run.events.filter { $0.kind == .tells || $0.kind == .works }
      guard let place = loop.firstIndex(where: { $0.kind == .works && $0.subject == work.words }),
        place > 0, loop[place - 1].kind == .tells
      else { return false }
      return loop[place].time - loop[place - 1].time >= observing * 1000
    }
  }
}
