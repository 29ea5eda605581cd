// Captures — what closures may capture if their type does not require `Sendable`.

import Dispatch

enum Captures {
  final class Counter { var count = 0 }

  static func run() {
    let queue = DispatchQueue(label: "corpus.captures")
    let counter = Counter()

    // Not escaping: the closure may capture and change anything.
    var local = 0
    queue.sync { local += 1 }
    queue.sync(flags: .barrier) { local += 1 }
    queue.sync(execute: { counter.count += 1 })
    print(local, counter.count)

    // Escaping, and not `@Sendable`: items and their notifications.
    let done = DispatchSemaphore(value: 0)
    let item = DispatchWorkItem { counter.count += 10 }
    item.notify(queue: queue) {
      counter.count += 100
      done.signal()
    }
    queue.async(execute: item)
    done.wait()
    let group = DispatchGroup()
    group.notify(queue: queue) {
      counter.count += 1000
      done.signal()
    }
    done.wait()
    print(queue.sync { counter.count })

    #if !swift(>=6)
      // `@Sendable`, which Swift 5 does not enforce.
      queue.async { counter.count += 1 }
      queue.async(group: group, qos: .utility, flags: []) { counter.count += 1 }
      queue.asyncAfter(deadline: .now()) {
        counter.count += 1
        done.signal()
      }
      queue.asyncAfter(wallDeadline: .now()) {
        counter.count += 1
        done.signal()
      }
      done.wait()
      done.wait()
      let another = DispatchWorkItem { counter.count += 1 }
      queue.async { another.perform() }
      var changed = 0
      queue.async { changed += 1 }
      print(queue.sync { changed }, queue.sync { counter.count })
    #endif
  }
}
