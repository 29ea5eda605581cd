// Semaphores — counting, and waiting with and without a limit.

import Dispatch

enum Semaphores {
  static func run() {
    let semaphore = DispatchSemaphore(value: 1)
    semaphore.wait()
    print(semaphore.wait(timeout: .now()), semaphore.wait(wallTimeout: .now()))
    print(semaphore.wait(timeout: .now() + 0.001))
    print(semaphore.wait(wallTimeout: .now() + 0.001))
    print(semaphore.signal())
    print(semaphore.wait(timeout: .distantFuture))

    let lines = Lines()
    let limit = DispatchSemaphore(value: 2)
    DispatchQueue.concurrentPerform(iterations: 6) { index in
      limit.wait()
      defer { limit.signal() }
      lines.add("turn \(index)")
    }
    lines.show(sorted: true)

    DispatchQueue.global().async { semaphore.signal() }
    semaphore.wait()
    print("woken")
    semaphore.signal()
  }
}
