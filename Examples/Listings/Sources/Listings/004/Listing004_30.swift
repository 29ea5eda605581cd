import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_30 = Listing(
    "004-30", heading: "Marking the source and waking the loop",
    shows: "signal a source, wake a loop",
    outcome: "waking does not start a loop; it only wakes one that sleeps in its run",
    truth: "several signals before the source is performed count as one",
    rows: ["R3", "R9"]
  ) { story in
    let performed = Cell(0)
    let counts = onLoopThread { loop in
      let source = makeCustomSource { performed.withValue { $0 += 1 } }
      CFRunLoopAddSource(loop, source, .defaultMode)
      for _ in 0..<3 { CFRunLoopSourceSignal(source) }
      CFRunLoopWakeUp(loop)
      let before = performed.value
      CFRunLoopRunInMode(.defaultMode, 0, false)
      CFRunLoopSourceInvalidate(source)
      return [before, performed.value]
    }
    story.check(counts[0], is: 0, "a loop that does not run is not started by it")
    story.check(counts[1], is: 1, "when it runs, three signals are one")

    let done = DispatchSemaphore(value: 0)
    let source = makeCustomSource { done.signal() }
    let second = LoopThread { CFRunLoopAddSource($0, source, .defaultMode) }
    while !CFRunLoopIsWaiting(second.loop) { Thread.sleep(forTimeInterval: 0.001) }
    CFRunLoopSourceSignal(source)
    story.check(CFRunLoopIsWaiting(second.loop), "a signal alone leaves the loop asleep")
    CFRunLoopWakeUp(second.loop)
    done.wait()
    story.check(second.end(), is: .stopped, "the wake-up had it perform the source")
  }
}
