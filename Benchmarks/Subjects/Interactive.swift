import CBenchmark
import Glibc
import Synchronization

extension Subject {
  static let interactiveAmongBackground = Subject(
    name: "interactive-among-background",
    title: "background items on every core: start of a userInteractive item, p99 of 2,000",
    goal: .value(500),
    measurement: .figure(unit: "µs") { delayAmongBackgroundItems($0) })

  static let interactiveAmongBackgroundUnprivileged = Subject(
    name: "interactive-among-background-unprivileged",
    title: "the same in a process without privileges",
    goal: .value(500),
    measurement: .figure(unit: "µs") { effort in
      if geteuid() == 0 {
        let nobody: uid_t = 65_534
        precondition(setgid(nobody) == 0 && setuid(nobody) == 0, "privileges cannot be dropped")
      }
      return delayAmongBackgroundItems(effort)
    })
}

/// The 99th percentile, in microseconds, of the time from submitting an item of the
/// highest class until it starts, while items of the lowest would use every core.
private func delayAmongBackgroundItems(_ effort: Effort) -> Double {
  let hogs = 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  let stop = Switch()
  let group = DispatchGroup()
  for _ in 0..<hogs {
    DispatchQueue.global(qos: .background).async(group: group) {
      while !stop.isOn { cbench_compute(1_000) }
    }
  }
  let queue = DispatchQueue.global(qos: .userInteractive)
  let delays = (0..<max(20, 2_000 / effort.trialDivisor)).map { _ in
    cbench_sleep_microseconds(500)
    let started = Moment()
    let back = DispatchSemaphore(value: 0)
    let submitted = cbench_now()
    queue.async {
      started.note()
      back.signal()
    }
    back.wait()
    return Double(started.time - submitted) / 1_000
  }
  stop.turnOn()
  group.wait()
  return delays.sorted()[delays.count * 99 / 100]
}

private final class Switch: Sendable {
  private let word = Atomic<Bool>(false)
  var isOn: Bool { word.load(ordering: .relaxed) }
  func turnOn() { word.store(true, ordering: .relaxed) }
}

private final class Moment: Sendable {
  private let word = Atomic<UInt64>(0)
  var time: UInt64 { word.load(ordering: .relaxed) }
  func note() { word.store(cbench_now(), ordering: .relaxed) }
}
