// StartOrder — the order in which a concurrent queue starts its items. With one processor and one
// worker, nothing else can change that order.

import SignalboxDispatch
import Glibc

package enum StartOrderScenario: String, CountedScenario {
  case concurrentStartOrder = "concurrent-start-order"
}

extension StartOrderScenario: Scenario {
  func run() {
    switch self {
    case .concurrentStartOrder:
      useOneProcessor()
      reportStartOrder(
        "concurrent", DispatchQueue(label: "org.signalbox.facts.order", attributes: .concurrent))
      reportStartOrder("global", .global())
      reportStartOrder(
        "onConcurrent",
        DispatchQueue(
          label: "org.signalbox.facts.order.over", attributes: .concurrent,
          target: DispatchQueue(label: "org.signalbox.facts.order.under", attributes: .concurrent)))
    }
  }
}

/// Binds this process to the first processor that it may use. Call it before the pool starts.
func useOneProcessor() {
  // The headers declare these two only for programs with `_GNU_SOURCE`.
  typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32
  guard let get = dlsym(nil, "sched_getaffinity"), let set = dlsym(nil, "sched_setaffinity") else {
    fail("the C library has no sched_setaffinity")
  }
  // SAFETY: the C library declares both with this signature.
  let getAffinity = unsafeBitCast(get, to: Affinity.self)
  let setAffinity = unsafeBitCast(set, to: Affinity.self)
  var mask = [UInt8](repeating: 0, count: 1024)
  guard getAffinity(0, mask.count, &mask) == 0 else { fail("sched_getaffinity: \(errno)") }
  let first = mask.firstIndex { $0 != 0 }!
  let bit = mask[first] & (~mask[first] &+ 1)
  mask = [UInt8](repeating: 0, count: mask.count)
  mask[first] = bit
  guard setAffinity(0, mask.count, &mask) == 0 else { fail("sched_setaffinity: \(errno)") }
}

private func reportStartOrder(_ name: String, _ queue: DispatchQueue) {
  let order = StartOrder()
  let group = DispatchGroup()
  // The first item occupies the only worker until all have been submitted.
  let all = Tally()
  queue.async(group: group) { while all.count == 0 { sched_yield() } }
  for number in 0..<200 { queue.async(group: group) { order.add(number) } }
  all.increment()
  group.wait()
  report(name, order.numbers == Array(0..<200) ? "in order" : "\(order.numbers)")
}

private final class StartOrder: @unchecked Sendable {
  // SAFETY: read and written with `mutex` held, or after the group is empty.
  private(set) var numbers: [Int] = []
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func add(_ number: Int) {
    pthread_mutex_lock(mutex)
    numbers.append(number)
    pthread_mutex_unlock(mutex)
  }
}
