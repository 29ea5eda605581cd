// Starvation — items that occupy every worker until something else has run. That must start
// nevertheless. A scenario whose item starves never ends.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum StarvationScenario: String, CountedScenario {
  case itemsThatSleepBriefly = "items-that-sleep-briefly"
  case sleepsOfAMicrosecond = "sleeps-of-a-microsecond"
  case itemsThatCompute = "items-that-compute"
  case serialQueuesThatCompute = "serial-queues-that-compute"
  case everyClassBesideEndlessItems = "every-class-beside-endless-items"
}

extension StarvationScenario: Scenario {
  func run() {
    switch self {
    // Arguments: the number of items, and how long each sleeps at a time, in microseconds.
    case .itemsThatSleepBriefly:
      let count = integerArgument(0, default: 2)
      let pause = UInt32(integerArgument(1, default: 200))
      let flag = Tally()
      let group = DispatchGroup()
      for _ in 0..<count {
        DispatchQueue.global().async(group: group) { while flag.count == 0 { usleep(pause) } }
      }
      reportStart("milliseconds", rounds: 1) { extra in
        DispatchQueue.global().async(group: group) {
          extra()
          flag.increment()
        }
      }
      group.wait()
    // An item sleeps for a microsecond again and again. Reports how often it gives its processor
    // up. Also reports whether the kernel may delay wake-ups in the items of all workers, some of
    // which have acted as the monitor, and in the threads that they start, as long as in the
    // first thread.
    case .sleepsOfAMicrosecond:
      let sleeps = 1000
      let group = DispatchGroup()
      let flag = Tally()
      let slack = timerSlack(), same = Tally(), others = Tally()
      @Sendable func noteSlack() {
        if timerSlack() == slack { same.increment() } else { others.increment() }
      }
      for _ in 0..<4 {
        DispatchQueue.global().async(group: group) {
          noteSlack()
          while flag.count == 0 { usleep(200) }
        }
      }
      DispatchQueue.global().async(group: group) {
        noteSlack()
        let before = switchesOfThisThread()
        for _ in 0..<sleeps { usleep(1) }
        report("switchesPerThousandSleeps", (switchesOfThisThread() - before) * 1000 / sleeps)
        // A wait of the library with a deadline leaves the timer slack unchanged.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        noteSlack()
        var thread = pthread_t()
        var value: UnsafeMutableRawPointer?
        let start = pthread_create(
          &thread, nil, { _ in UnsafeMutableRawPointer(bitPattern: timerSlack()) }, nil)
        if start == 0, pthread_join(thread, &value) == 0 {
          if Int(bitPattern: value) == slack { same.increment() } else { others.increment() }
        }
        flag.increment()
      }
      group.wait()
      report("sameSlack", same.count)
      report("otherSlack", others.count)
    // Arguments: how many more items than processors, and how long each item computes.
    case .itemsThatCompute:
      let group = DispatchGroup()
      let length = Double(integerArgument(1, default: 30))
      for _ in 0..<processorCount() + integerArgument(0, default: 8) {
        DispatchQueue.global().async(group: group) {
          computeUntil(milliseconds() + length) { false }
        }
      }
      let most = Tally()
      while group.wait(timeout: .now() + .milliseconds(2)) == .timedOut {
        most.raise(to: workerNames().count)
      }
      report("workers", most.count)
      report("processors", processorCount())
    case .serialQueuesThatCompute:
      let stop = Tally()
      let group = DispatchGroup()
      occupy(stop, group) { number in DispatchQueue(label: "org.signalbox.facts.busy.\(number)") }
      reportStart("otherQueue") {
        DispatchQueue(label: "org.signalbox.facts.other").async(execute: $0)
      }
      reportStart("globalQueue") { DispatchQueue.global().async(execute: $0) }
      let ticks = Tally(), enough = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "org.signalbox.facts.timer"))
      timer.setEventHandler { if ticks.increment() == 5 { enough.signal() } }
      let start = milliseconds()
      timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
      timer.activate()
      enough.wait()
      report("fiveTicks", milliseconds() - start)
      timer.cancel()
      stop.increment()
      group.wait()
      // The same with more endless queues than the pool grows by at once.
      let more = DispatchGroup(), later = Tally()
      for number in 0..<integerArgument(0, default: 24) {
        DispatchQueue(label: "org.signalbox.facts.many.\(number)").async(group: more) {
          computeUntil(.infinity) { later.count > 0 }
        }
      }
      reportStart("behindMany") {
        DispatchQueue(label: "org.signalbox.facts.last").async(execute: $0)
      }
      later.increment()
      more.wait()
    // Argument: the class of the endless items, as an index into the classes.
    case .everyClassBesideEndlessItems:
      let classes: [DispatchQoS.QoSClass] = [
        .background, .utility, .default, .userInitiated, .userInteractive,
      ]
      let endless = classes[integerArgument(0, default: 3)]
      let stop = Tally()
      let group = DispatchGroup()
      for _ in 0..<6 {
        DispatchQueue.global(qos: endless).async(group: group) {
          computeUntil(.infinity) { stop.count > 0 }
        }
      }
      // Most likely they occupy the workers before anything else arrives.
      sleepInKernel(milliseconds: 20)
      let same = DispatchQueue(
        label: "org.signalbox.facts.same", qos: DispatchQoS(qosClass: endless, relativePriority: 0))
      var subjects: [(name: String, queue: DispatchQueue)] = [("sameClass", same)]
      for qos in classes where qos != endless { subjects.append(("\(qos)", .global(qos: qos))) }
      // In turns, so that whatever else the machine does meets all of them alike.
      var times: [String: [Double]] = [:]
      for _ in 0..<25 {
        for (name, queue) in subjects {
          times[name, default: []].append(timeToStart { queue.async(execute: $0) })
        }
      }
      for (name, times) in times { report(name, times) }
      stop.increment()
      group.wait()
    }
  }
}

/// How long the kernel may delay this thread's wake-up from a timed sleep, in nanoseconds.
private func timerSlack() -> Int { Int(csc_timer_slack()) }

/// How often this thread has given its processor up voluntarily.
private func switchesOfThisThread() -> Int { csc_voluntary_switches() }

/// Runs an item that computes until `stop` on as many queues as there are processors.
private func occupy(_ stop: Tally, _ group: DispatchGroup, on queue: (Int) -> DispatchQueue) {
  let running = Tally()
  for number in 0..<processorCount() {
    queue(number).async(group: group) {
      running.increment()
      computeUntil(.infinity) { stop.count > 0 }
    }
  }
  while running.count < processorCount() { sched_yield() }
}

/// Submits something several times, one after the other, and reports how long it took to start,
/// in milliseconds: the median and the maximum.
private func reportStart(
  _ name: String, rounds: Int = 11, _ submit: (@escaping @Sendable () -> Void) -> Void
) {
  report(name, (0..<rounds).map { _ in timeToStart(submit) })
}

/// Submits something, and returns how long it took to start, in milliseconds.
private func timeToStart(_ submit: (@escaping @Sendable () -> Void) -> Void) -> Double {
  let started = DispatchSemaphore(value: 0)
  let start = milliseconds()
  submit { started.signal() }
  started.wait()
  return milliseconds() - start
}

/// Reports the median and the maximum.
private func report(_ name: String, _ times: [Double]) {
  let times = times.sorted()
  report(name, times[times.count / 2])
  report(name + "Longest", times[times.count - 1])
}

private func computeUntil(_ end: Double, or isOver: () -> Bool) {
  while milliseconds() < end && !isOver() {}
}

/// The names of the pool's threads.
private func workerNames() -> [String] {
  threadNumbers().compactMap { contents(of: "/proc/self/task/\($0)/comm") }
    .filter { $0.hasPrefix("sb-") }
}

func processorCount() -> Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
