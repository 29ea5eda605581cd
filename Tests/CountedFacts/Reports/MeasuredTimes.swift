// MeasuredTimes — processes that measure how long items wait and run.

import Glibc
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace

package enum MeasuredTimesScenario: String, CountedScenario {
  /// Items behind one that takes its time, on a queue that is asked for its times.
  case timesOfAQueue = "times-of-a-queue"
  /// What the environment asks for, and nothing else.
  case timesFromTheStart = "times-from-the-start"
  /// More queues than there are rows, of which most end.
  case timesOfManyQueues = "times-of-many-queues"
  /// Items and calls of `sync` from many threads on a concurrent queue.
  case timesUnderLoad = "times-under-load"
  /// Queues that a reader finds from outside, until the process is ended.
  case timesToBeRead = "times-to-be-read"
}

extension MeasuredTimesScenario: Scenario {
  func run() {
    switch self {
    case .timesOfAQueue: timesOfAQueue()
    case .timesFromTheStart:
      report("measures", SignalboxMetrics.measuresTimes ? 1 : 0)
      let queue = DispatchQueue(label: "times.start")
      queue.async {}
      queue.sync {}
      let times = SignalboxMetrics.snapshot().times.first { $0.label == "times.start" }
      report("ran", times?.running.count ?? 0)
    case .timesOfManyQueues: timesOfManyQueues()
    case .timesUnderLoad: timesUnderLoad()
    case .timesToBeRead: timesToBeRead()
    }
  }

  private func times(_ label: String) -> SignalboxMetrics.Times? {
    SignalboxMetrics.snapshot().times.first { $0.label == label }
  }

  private func show(_ prefix: String, _ times: SignalboxMetrics.Times?) {
    guard let times else { return report("\(prefix).missing", 1) }
    report("\(prefix).waited", times.waiting.count)
    report("\(prefix).waits", times.waiting.sum)
    report("\(prefix).longestWait", times.waiting.maximum)
    report("\(prefix).medianWait", times.waiting.quantile(0.5))
    report("\(prefix).ran", times.running.count)
    report("\(prefix).longestRun", times.running.maximum)
    report("\(prefix).allRuns", times.running.quantile(1))
    report("\(prefix).mostWaiting", times.mostWaiting)
    report("\(prefix).unmeasured", times.unmeasured)
  }

  /// Runs an item that takes a known time, with nine behind it.
  private func runTen(on queue: DispatchQueue) -> UInt64 {
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let group = DispatchGroup()
    queue.async(group: group) {
      begun.signal()
      goOn.wait()
    }
    begun.wait()
    for _ in 0..<9 { queue.async(group: group) {} }
    let before = Clock.uptime.now
    usleep(20_000)
    let length = Clock.uptime.now - before
    goOn.signal()
    group.wait()
    // After it, the last item has ended for the engine too.
    queue.sync {}
    return length
  }

  private func timesOfAQueue() {
    let queue = DispatchQueue(label: "times.queue")
    _ = runTen(on: queue)
    report("before", SignalboxMetrics.snapshot().times.count)
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    queue.async {
      begun.signal()
      goOn.wait()
    }
    begun.wait()
    // The running item and the one behind it have begun, or were submitted, unnoticed.
    queue.async {}
    SignalboxMetrics.measuresTimes = true
    goOn.signal()
    queue.sync {}
    show("middle", times("times.queue"))
    report("length", runTen(on: queue))
    show("on", times("times.queue"))
    SignalboxMetrics.measuresTimes = false
    _ = runTen(on: queue)
    show("off", times("times.queue"))
    SignalboxMetrics.measuresTimes = true
    _ = runTen(on: queue)
    show("again", times("times.queue"))
  }

  private func timesOfManyQueues() {
    SignalboxMetrics.measuresTimes = true
    func use(_ label: String) {
      let queue = DispatchQueue(label: label)
      for _ in 0..<3 { queue.sync {} }
    }
    for _ in 0..<50 { use("times.same") }
    let same = SignalboxMetrics.snapshot().times.filter { $0.label == "times.same" }
    report("sums", same.count)
    show("same", same.first)
    let long = String(repeating: "é", count: 100)
    use(long)
    let cut = SignalboxMetrics.snapshot().times.first { $0.label.hasPrefix("é") }
    report("cut", cut.map { long.hasPrefix($0.label) ? $0.label.utf8.count : 0 } ?? 0)
    for number in 0..<300 { use("times.ended.\(number)") }
    let queues = (0..<300).map { DispatchQueue(label: "times.living.\($0)") }
    for queue in queues { for _ in 0..<3 { queue.sync {} } }
    let all = SignalboxMetrics.snapshot().times
    report("rows", all.count)
    report("runs", all.reduce(0) { $0 + $1.running.count })
    report("others", all.filter { $0.scope == .others }.count)
    let living = all.filter { $0.scope == .queue && $0.label.hasPrefix("times.living.") }
    report("livingAreWhole", living.allSatisfy { $0.running.count == 3 } ? 1 : 0)
    report("living", living.count)
    withExtendedLifetime(queues) {}
  }

  /// Each barrier costs two changes of thread, which take long beside other programs.
  private func timesUnderLoad() {
    SignalboxMetrics.measuresTimes = true
    let queue = DispatchQueue(label: "times.load", attributes: .concurrent)
    let serial = DispatchQueue(label: "times.load.serial")
    let group = DispatchGroup()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for number in 0..<2500 {
        queue.async(group: group) { serial.async(group: group) {} }
        if number % 25 == 0 { queue.sync(flags: .barrier) {} }
      }
    }
    group.wait()
    queue.sync(flags: .barrier) {}
    serial.sync {}
    show("load", times("times.load"))
    show("serial", times("times.load.serial"))
  }

  private func timesToBeRead() {
    let queue = DispatchQueue(label: "times.read")
    let length = runTen(on: queue)
    useAndFree("times.gone")
    report("length", length)
    let times = times("times.read")
    report("waited", times?.waiting.count ?? 0)
    report("waits", times?.waiting.sum ?? 0)
    report("ran", times?.running.count ?? 0)
    report("ready", 1)
    withExtendedLifetime(queue) { while true { pause() } }
  }

  private func useAndFree(_ label: String) {
    let queue = DispatchQueue(label: label)
    for _ in 0..<5 { queue.sync {} }
  }
}
