// WakeUps — wake-ups of a process that has nothing left to do.

import Glibc
import SignalboxDispatch

package enum WakeUpScenario: String, CountedScenario {
  case wakeUpsOfAnIdleProcess = "wake-ups-of-an-idle-process"
}

extension WakeUpScenario: Scenario {
  func run() {
    switch self {
    case .wakeUpsOfAnIdleProcess:
      useEverything()
      sleepInKernel(seconds: integerArgument(0, default: 10))
      let before = contextSwitches()
      sleepInKernel(seconds: integerArgument(1, default: 10))
      let after = contextSwitches()
      report("threads", after.count + 1)
      report("wakeUps", wakeUps(from: before, to: after))
    }
  }
}

/// Runs work for each part that could continue to wake later: the pool at several QoS classes,
/// blocked and surplus workers, fired and cancelled timers.
private func useEverything() {
  let group = DispatchGroup()
  let ran = Tally()
  for qos in [DispatchQoS.QoSClass.userInteractive, .default, .utility, .background] {
    DispatchQueue.global(qos: qos).async(group: group) { ran.increment() }
  }
  let serial = DispatchQueue(label: "org.signalbox.facts.serial")
  for _ in 0..<1000 { serial.async(group: group) { ran.increment() } }
  let gate = DispatchSemaphore(value: 0)
  for _ in 0..<16 {
    DispatchQueue.global().async(group: group) {
      gate.wait()
      ran.increment()
    }
  }
  for _ in 0..<16 { DispatchQueue.global().async { gate.signal() } }
  group.enter()
  serial.asyncAfter(deadline: .now() + .milliseconds(10)) {
    ran.increment()
    group.leave()
  }
  let cancelled = DispatchWorkItem { ran.increment() }
  serial.asyncAfter(deadline: .now() + .milliseconds(500), execute: cancelled)
  cancelled.cancel()
  DispatchQueue.concurrentPerform(iterations: 100) { _ in ran.increment() }
  group.wait()
  report("ran", ran.count)
}

/// How often threads woke between two readings.
func wakeUps(from before: [Int: Int], to after: [Int: Int]) -> Int {
  var wakeUps = 0
  for (thread, count) in after { wakeUps += count - (before[thread] ?? 0) }
  // A thread that ended in between had to wake for that.
  for thread in before.keys where after[thread] == nil { wakeUps += 1 }
  return wakeUps
}

/// Waits until every thread except the main one sleeps and has not woken for a while. Then the
/// work has ended, however long the machine took for it. A process that does not become idle
/// is counted all the same.
func awaitRest() {
  let end = milliseconds() + eventTimeout
  var before = contextSwitches()
  while milliseconds() < end {
    sleepInKernel(milliseconds: 50)
    let now = contextSwitches()
    if now == before && allOthersSleep() { return }
    before = now
  }
}

/// Whether every thread except the main one is asleep in the kernel. A woken thread that waits
/// for a processor is not asleep.
private func allOthersSleep() -> Bool {
  threadNumbers().allSatisfy { thread in
    guard thread != Int(getpid()), let status = contents(of: "/proc/self/task/\(thread)/status")
    else { return true }
    return status.contains("\nState:\tS")
  }
}

/// How often a thread other than the main one went to sleep during the measurement, for which
/// the main thread itself sleeps. Involuntary switches depend more on the machine.
func sleeps(during seconds: Int) -> Int {
  let before = contextSwitches(that: "\nvoluntary_ctxt_switches:")
  sleepInKernel(seconds: seconds)
  let after = contextSwitches(that: "\nvoluntary_ctxt_switches:")
  return after.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
}

/// The context switches of every thread except the main one, which sleeps for the measurement
/// itself. An involuntary switch counts too, because a thread that lost the processor was
/// awake.
func contextSwitches(that kind: String = "voluntary_ctxt_switches:") -> [Int: Int] {
  var switches: [Int: Int] = [:]
  for thread in threadNumbers() where thread != Int(getpid()) {
    guard let status = contents(of: "/proc/self/task/\(thread)/status") else { continue }
    var sum = 0
    for line in status.split(separator: "\n") where "\n\(line)".contains(kind) {
      sum += Int(line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " })[1]) ?? 0
    }
    switches[thread] = sum
  }
  return switches
}
