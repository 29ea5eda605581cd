// Groups — entering, leaving, waiting and notifications.

import Dispatch

enum Groups {
  static func run() {
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "corpus.groups")
    let lines = Lines()
    let told = DispatchSemaphore(value: 0)

    print(group.wait(timeout: .now()), group.wait(wallTimeout: .now()))
    group.wait()
    group.enter()
    group.notify(queue: queue) {
      lines.add("told by a closure")
      told.signal()
    }
    group.notify(qos: .utility, flags: [.enforceQoS], queue: queue) {
      lines.add("told by a closure with a class")
      told.signal()
    }
    group.notify(
      queue: queue,
      work: DispatchWorkItem {
        lines.add("told by an item")
        told.signal()
      })
    print(group.wait(timeout: .now() + .milliseconds(1)))
    print(group.wait(wallTimeout: .now() + .milliseconds(1)))
    lines.show()
    group.leave()
    for _ in 0..<3 { told.wait() }
    lines.show()

    for index in 0..<4 {
      DispatchQueue.global().async(group: group) { lines.add("member \(index)") }
    }
    print(group.wait(timeout: .distantFuture))
    lines.show(sorted: true)
  }
}
