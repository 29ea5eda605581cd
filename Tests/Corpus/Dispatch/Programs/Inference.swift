// Inference — expressions whose types depend on the overloads of the operators.

import Dispatch

enum Inference {
  static func run() {
    let whole: DispatchTime = .now() + 1
    let fraction: DispatchTime = .now() + 1.5
    let interval: DispatchTime = .now() + .seconds(1)
    let explicit = DispatchTime.now() + DispatchTimeInterval.milliseconds(20)
    let chained: DispatchTime = .now() + .seconds(1) + 0.5 - .milliseconds(3) - 1
    print(whole < fraction, interval > explicit, chained != interval)

    let wallWhole: DispatchWallTime = .now() + 1
    let wallFraction: DispatchWallTime = .now() + 1.5
    let wallInterval: DispatchWallTime = .now() - .seconds(1)
    let wallChained = DispatchWallTime.now() - 1 + .seconds(3)
    print(wallWhole < wallFraction, wallInterval < wallChained)

    let delay = 0.001
    let count = 2
    let done = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "corpus.inference")
    queue.asyncAfter(deadline: .now() + delay) { done.signal() }
    queue.asyncAfter(deadline: .now() + Double(count) / 1000) { done.signal() }
    queue.asyncAfter(deadline: .now() + .milliseconds(count)) { done.signal() }
    queue.asyncAfter(wallDeadline: .now() + delay) { done.signal() }
    queue.asyncAfter(wallDeadline: .now() + .microseconds(count * 3)) { done.signal() }
    for _ in 0..<5 { done.wait() }
    print(done.wait(timeout: .now() + delay) == .timedOut)
    if case .timedOut = done.wait(wallTimeout: .now() + .milliseconds(1)) { print("in time") }

    // The closure's type selects the `sync`.
    let number = queue.sync { 3 }
    let text = queue.sync { () -> String in "three" }
    let optional: Int? = queue.sync { nil }
    queue.sync { _ = number }
    print(number, text, optional ?? 0)
    let submit: (@escaping @Sendable () -> Void) -> Void = { queue.async(execute: $0) }
    submit { done.signal() }
    done.wait()
    let body: @Sendable (Int) -> Void = { print("iteration", $0) }
    DispatchQueue.concurrentPerform(iterations: 1, execute: body)
    let labels = [queue, DispatchQueue.main].map(\.label)
    print(labels[0])
  }
}
