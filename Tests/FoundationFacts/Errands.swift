// Errands — work for the main thread while something runs Foundation's main run loop: through the
// main queue, at once and later, and through the main loop's timers, performs and sources.

import SignalboxFoundation

/// All of the work runs on the main thread; work elsewhere is counted as a stray.
final class Errands: @unchecked Sendable {
  // SAFETY: used on the main thread only; `note` checks that.
  private var done: [String: Int] = [:]
  let strays = Tally()
  private let counts = ["items": 50, "delayed": 5, "timer": 3, "performs": 20, "source": 10]

  /// Begins the work. Call it on the main thread. `whenDone` is called on the main thread when
  /// everything is done.
  func begin(whenDone: @escaping @Sendable () -> Void) {
    let finish: @Sendable () -> Void = { [self] in if isDone { whenDone() } }
    let timer = Timer(timeInterval: 0.005, repeats: true) { [self] timer in
      note("timer")
      if done["timer"] == counts["timer"] { timer.invalidate() }
      finish()
    }
    RunLoop.main.add(timer, forMode: .common)
    var context = CFRunLoopSourceContext()
    context.perform = { [self] _ in
      note("source")
      finish()
    }
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    CFRunLoopAddSource(CFRunLoopGetMain(), source, .commonModes)
    for step in 0..<5 {
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(step * 3)) { [self] in
        note("delayed")
        finish()
      }
    }
    Thread.detachNewThread { [self] in
      for _ in 0..<50 {
        DispatchQueue.main.async { [self] in
          note("items")
          finish()
        }
      }
      let perform: @Sendable () -> Void = { [self] in
        note("performs")
        finish()
      }
      for _ in 0..<20 {
        // Each waits until the main thread has performed it. The call gives up if the main loop is
        // not served for a second.
        while (try? Thread.performOnMainThread(waitUntilDone: true, block: perform)) == nil {}
      }
      for turn in 1...10 {
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(CFRunLoopGetMain())
        while DispatchQueue.main.sync(execute: { [self] in done["source", default: 0] }) < turn {}
      }
    }
  }

  private var isDone: Bool { counts.allSatisfy { (done[$0.key] ?? 0) >= $0.value } }

  private func note(_ name: String) {
    if !Thread.isMainThread { strays.increment() }
    done[name, default: 0] += 1
  }

  /// Call it on the main thread.
  func report() {
    for (name, count) in done.sorted(by: { $0.key < $1.key }) {
      FoundationFacts.report(name, count)
    }
    FoundationFacts.report("strays", strays.count)
  }
}
