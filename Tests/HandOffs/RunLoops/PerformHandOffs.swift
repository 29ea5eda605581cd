// PerformHandOffs — what a block did that one thread had another thread perform.

import SignalboxRunLoop

let performHandOffs = [
  HandOff("perform-waited-for") {
    let ready = Turns()
    let thread = JoinableThread {
      var context = CFRunLoopSourceContext()
      let keeper = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      // From within the run: a perform fails if the thread runs no loop for a second.
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), .defaultMode) { ready.end() }
      CFRunLoopRun()
    }
    thread.start()
    ready.await(1)
    for round in 0..<chanceRounds {
      let input = Plain(), output = Plain()
      input.value = round
      try? Thread.perform(on: thread.thread, waitUntilDone: true) {
        expect(input.value, round, "what was written before the perform")
        output.value = round + 1
      }
      expect(output.value, round + 1, "what the block wrote")
    }
    try? Thread.perform(on: thread.thread, waitUntilDone: false) {
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
    thread.join()
  }
]
