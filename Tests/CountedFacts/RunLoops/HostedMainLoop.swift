// HostedMainLoop — the main loop, and the main queue with it, as guests of the program's own
// polling loop.

import FoundationEssentials
import Glibc
import SignalboxDispatch
import SignalboxRunLoop

package enum HostedMainLoopScenario: String, CountedScenario {
  case mainLoopIsHostedByAPollLoop = "main-loop-is-hosted-by-a-poll-loop"
  case mainLoopLeavesNothingForALaterHost = "main-loop-leaves-nothing-for-a-later-host"
}

extension HostedMainLoopScenario: Scenario {
  func run() {
    switch self {
    case .mainLoopIsHostedByAPollLoop:
      let host = RunLoopHost()
      let (items, blocks, performs, ticks, signals) = (Tally(), Tally(), Tally(), Tally(), Tally())
      report("quiet", !isReadable(host.fileDescriptor) && host.milliseconds == -1)
      var context = CFRunLoopSourceContext()
      context.perform = { _ in signals.increment() }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(CFRunLoopGetMain(), source, .commonModes)
      let rounds = integerArgument(0, default: 20)
      let isOver = Tally()
      let perform: @Sendable () -> Void = { performs.increment() }
      // One event at a time, so that each causes a wake-up of its own.
      startThread {
        for round in 1...rounds {
          DispatchQueue.main.async { items.increment() }
          while items.count < round { sched_yield() }
          RunLoop.main.perform { blocks.increment() }
          while blocks.count < round { sched_yield() }
          CFRunLoopSourceSignal(source)
          CFRunLoopWakeUp(CFRunLoopGetMain())
          while signals.count < round { sched_yield() }
          // The call gives up if the host does not come to the loop for a second.
          while (try? Thread.performOnMainThread(waitUntilDone: true, block: perform)) == nil {}
        }
        isOver.increment()
      }
      let timer = Timer(timeInterval: 0.01, repeats: true) { _ in ticks.increment() }
      RunLoop.main.add(timer, forMode: .common)
      var wakeUps = 0
      while performs.count < rounds || ticks.count < 5 {
        // Nothing else wakes the host: a lost wake-up ends the program.
        _ = isReadable(host.fileDescriptor, milliseconds: host.milliseconds)
        wakeUps += 1
        host.drain()
      }
      timer.invalidate()
      // At most one for each event, or two if the pass came between its halves.
      report("wakeUps", wakeUps)
      report("most", 2 * (4 * rounds + ticks.count))
      report("items", items.count)
      report("blocks", blocks.count)
      report("signals", signals.count)
      report("performs", performs.count)
      CFRunLoopSourceInvalidate(source)
      // If another event woke the host for the last call, the thread may still wake it.
      while isOver.count == 0 { sched_yield() }
      host.drain()
      report("idle", isReadable(host.fileDescriptor, milliseconds: 300))
      report("idleMilliseconds", host.milliseconds)
      host.end()
    case .mainLoopLeavesNothingForALaterHost:
      let (submitted, done, readable) = (Tally(), Tally(), Tally())
      for round in 1...10 {
        // Alternates between a loop that sleeps and a loop that finds the item when it looks.
        let sleeps = round % 2 == 0
        startThread {
          if sleeps { waitUntilMainLoopSleeps() }
          DispatchQueue.main.async {
            // Waits until the descriptor is written to.
            while submitted.count < round { sched_yield() }
            done.increment()
          }
          submitted.increment()
        }
        if !sleeps { while submitted.count < round { sched_yield() } }
        while done.count < round { runMain(.default) }
        if isMainQueueReadable { readable.increment() }
      }
      report("readable", readable.count)
      // The host learns of the work that is left for it.
      DispatchQueue.main.async { done.increment() }
      report("left", isMainQueueReadable)
      DispatchMainQueueHost.drain()
      report("done", done.count)
      report("after", isMainQueueReadable)
    }
  }
}

private func isReadable(_ descriptor: Int32, milliseconds: Int32 = 0) -> Bool {
  var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&polled, 1, milliseconds) > 0
}

/// Whether a polling host would drain the main queue.
private var isMainQueueReadable: Bool {
  isReadable(DispatchMainQueueHost.fileDescriptor)
}
