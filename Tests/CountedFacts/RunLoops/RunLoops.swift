// RunLoops — the cost of idle run loops, and what they leave behind.

import Glibc
import SignalboxDispatch
import SignalboxRunLoop
import SignalboxThreads

package enum RunLoopScenario: String, CountedScenario {
  case systemCallsOfIdlePasses = "system-calls-of-idle-passes"
  case systemCallsOfPasses = "system-calls-of-passes"
  case systemCallsOfPassesOfTheMainLoopAndOfItsWaker =
    "system-calls-of-passes-of-the-main-loop-and-of-its-waker"
  case descriptorsOfLoops = "descriptors-of-loops"
  case wakeUpsOfAWaitingLoop = "wake-ups-of-a-waiting-loop"
  case forkWithALoop = "fork-with-a-loop"
  case forkWithALoopFromAnotherThread = "fork-with-a-loop-from-another-thread"
  case forkThenRunTheMainLoopByItsName = "fork-then-run-the-main-loop-by-its-name"
  case forkWhileLoopsAreUsed = "fork-while-loops-are-used"
}

extension RunLoopScenario: Scenario {
  func run() {
    switch self {
    case .systemCallsOfIdlePasses:
      SystemCallTrace.countOfMainThread {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source(), mode)
        // Creates everything that is created once.
        CFRunLoopRunInMode(mode, 0, true)
        SystemCallTrace.counting {
          for _ in 0..<100 { CFRunLoopRunInMode(mode, 0, true) }
        }
      }
    case .systemCallsOfPasses:
      SystemCallTrace.countOfMainThread {
        let loop = CFRunLoopGetCurrent()!
        let performed = Tally()
        let source = source { performed.increment() }
        CFRunLoopAddSource(loop, source, mode)
        let rounds = integerArgument(0, default: 100)
        let signals = JoinableThread {
          for _ in 0...rounds {
            while !CFRunLoopIsWaiting(loop) { sched_yield() }
            let before = performed.count
            CFRunLoopSourceSignal(source)
            CFRunLoopWakeUp(loop)
            while performed.count == before { sched_yield() }
          }
        }
        signals.start()
        CFRunLoopRunInMode(mode, 1e9, true)
        SystemCallTrace.counting {
          for _ in 0..<rounds { CFRunLoopRunInMode(mode, 1e9, true) }
        }
        signals.join()
      }
    // In each round another thread wakes the main thread, which then wakes that thread. The cost
    // of both halves is counted in one thread.
    case .systemCallsOfPassesOfTheMainLoopAndOfItsWaker:
      SystemCallTrace.countOfMainThread {
        let main = CFRunLoopGetCurrent()!
        let performed = Tally()
        let own = source { performed.increment() }
        CFRunLoopAddSource(main, own, .defaultMode)
        let waker = source {
          while !CFRunLoopIsWaiting(main) { sched_yield() }
          CFRunLoopSourceSignal(own)
          CFRunLoopWakeUp(main)
        }
        let other = sleepingLoop(with: waker)
        func round() {
          // A system call here would be counted.
          while !CFRunLoopIsWaiting(other) {}
          CFRunLoopSourceSignal(waker)
          CFRunLoopWakeUp(other)
          if CFRunLoopRunInMode(.defaultMode, 1e9, true) != .handledSource {
            fail("the source was not handled")
          }
        }
        let rounds = integerArgument(0, default: 100)
        // Creates everything that is created once.
        round()
        SystemCallTrace.counting {
          for _ in 0..<rounds { round() }
        }
        report("performed", performed.count)
      }
    case .descriptorsOfLoops:
      let before = descriptors().count
      for _ in 0..<integerArgument(0, default: 50) {
        let thread = JoinableThread {
          CFRunLoopAddSource(CFRunLoopGetCurrent(), source(), mode)
          CFRunLoopRunInMode(mode, 0.001, true)
        }
        thread.start()
        thread.join()
      }
      report("left", descriptorsAtRest().count - before)
      let idle = JoinableThread {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source(), mode)
        CFRunLoopRunInMode(mode, 0, true)
        return descriptors().count
      }
      idle.start()
      report("ofAnIdleLoop", idle.join() - before)
    case .wakeUpsOfAWaitingLoop:
      let gate = Tally()
      let thread = Thread {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source(), mode)
        gate.increment()
        CFRunLoopRunInMode(mode, 1e9, false)
      }
      thread.start()
      while gate.count == 0 { sched_yield() }
      awaitRest()
      report("wakeUps", sleeps(during: 2))
    case .forkWithALoop:
      // The loop's descriptors exist, and another thread has a loop that sleeps.
      useLoop()
      let other = sleepingLoop()
      reportChild("child") {
        useLoop()
        // Calls on a loop whose thread does not exist here do nothing, and wake nothing in the
        // parent.
        CFRunLoopWakeUp(other)
        CFRunLoopStop(other)
        CFRunLoopPerformBlock(other, mode) {}
        if CFRunLoopGetMain() != CFRunLoopGetCurrent() { _exit(3) }
      }
      if !CFRunLoopIsWaiting(other) { fail("the child has woken a thread of the parent") }
      useLoop()
      report("parent", "goes on")
    case .forkWithALoopFromAnotherThread:
      useLoop()
      let thread = JoinableThread {
        useLoop()
        reportChild("child") {
          useLoop()
          if CFRunLoopGetMain() != CFRunLoopGetCurrent() { _exit(3) }
          if RunLoop.main !== RunLoop.current { _exit(4) }
        }
      }
      thread.start()
      thread.join()
      report("parent", "goes on")
    case .forkThenRunTheMainLoopByItsName:
      // Gives the main thread a number, but not its loop.
      DispatchQueue.global().sync {}
      reportChild("withoutALoop", runMainLoopByItsName)
      _ = CFRunLoopGetMain()
      reportChild("withALoop", runMainLoopByItsName)
    case .forkWhileLoopsAreUsed:
      let loops = (0..<4).map { _ in sleepingLoop() }
      let isOver = Tally()
      let turns = Tally()
      let users = (0..<3).map { index in
        JoinableThread {
          while isOver.count == 0 {
            turns.increment()
            let source = source()
            for loop in loops { CFRunLoopAddSource(loop, source, mode) }
            CFRunLoopSourceSignal(source)
            CFRunLoopWakeUp(loops[index])
            CFRunLoopSourceInvalidate(source)
          }
        }
      }
      let tracer = JoinableThread { traceAndNot(until: isOver) }
      for user in users { user.start() }
      tracer.start()
      // A thread of the parent may be creating a lazy value of the Swift runtime at the fork, and
      // the child would wait for it. So everything is used before.
      useLoop()
      RunLoop.trace = { _ in }
      RunLoop.trace = nil
      while turns.count < 100 { sched_yield() }
      for round in 0..<integerArgument(0, default: 30) {
        reportChild("child\(round)") {
          useLoop()
          let source = source()
          for loop in loops { CFRunLoopAddSource(loop, source, mode) }
          CFRunLoopSourceInvalidate(source)
          RunLoop.trace = { _ in }
          RunLoop.trace = nil
        }
      }
      isOver.increment()
      for user in users { user.join() }
      tracer.join()
    }
  }
}

private let mode = CFRunLoopMode("facts")

private func source(_ perform: @escaping () -> Void = {}) -> CFRunLoopSource {
  var context = CFRunLoopSourceContext()
  context.perform = { _ in perform() }
  return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
}

/// The calling thread's loop sleeps, and another thread wakes it.
private func useLoop() {
  let loop = CFRunLoopGetCurrent()!
  let performed = Tally()
  let asked = source { performed.increment() }
  CFRunLoopAddSource(loop, asked, mode)
  let other = JoinableThread {
    while !CFRunLoopIsWaiting(loop) { sched_yield() }
    CFRunLoopSourceSignal(asked)
    CFRunLoopWakeUp(loop)
  }
  other.start()
  if CFRunLoopRunInMode(mode, 1e9, true) != .handledSource { fail("the source was not handled") }
  other.join()
  CFRunLoopSourceInvalidate(asked)
  if performed.count != 1 { fail("performed \(performed.count) times") }
}

/// Runs the main loop until another thread wakes it, and then ends the process. The calling thread
/// never asks for its own loop.
private func runMainLoopByItsName() {
  startThread {
    waitUntilMainLoopSleeps()
    RunLoop.main.perform { _exit(0) }
  }
  while true { RunLoop.main.run(mode: .default, before: .distantFuture) }
}

/// Sets and removes the trace repeatedly.
private func traceAndNot(until isOver: Tally) {
  while isOver.count == 0 {
    RunLoop.trace = { _ in }
    RunLoop.trace = nil
  }
}

/// Returns the loop of a thread that sleeps in it forever.
private func sleepingLoop(with source: CFRunLoopSource = source()) -> CFRunLoop {
  let made = Tally()
  // SAFETY: written before `made` is counted, read after.
  nonisolated(unsafe) var loop: CFRunLoop?
  Thread {
    loop = CFRunLoopGetCurrent()
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
    made.increment()
    CFRunLoopRunInMode(mode, 1e9, false)
  }.start()
  while made.count == 0 { sched_yield() }
  let found = loop!
  while !CFRunLoopIsWaiting(found) { sched_yield() }
  return found
}
