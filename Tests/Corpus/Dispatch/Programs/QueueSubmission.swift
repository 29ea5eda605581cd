// QueueSubmission — every form of submitting work to a queue.

import Dispatch

enum QueueSubmission {
  struct Refused: Error {}

  static func run() {
    let queue = DispatchQueue(label: "corpus.submission")
    let group = DispatchGroup()
    let lines = Lines()

    queue.async { lines.add("async of a closure") }
    queue.async(group: group) { lines.add("async in a group") }
    queue.async(group: group, qos: .utility, flags: [.enforceQoS]) { lines.add("with a class") }
    queue.async(execute: { lines.add("async by its label") })
    queue.async(execute: DispatchWorkItem { lines.add("async of an item") })
    queue.async(group: group, execute: DispatchWorkItem { lines.add("an item in a group") })
    group.wait()
    queue.sync {}
    lines.show()

    let answer: Int = queue.sync { 42 }
    print("sync gives back", answer)
    queue.sync(execute: DispatchWorkItem { print("sync of an item") })
    let work: () -> Void = { print("sync of a function") }
    queue.sync(execute: work)
    print(queue.sync(flags: [.barrier]) { "sync with flags" })
    do {
      try queue.sync { throw Refused() }
    } catch {
      print("sync throws", type(of: error))
    }
    do {
      _ = try queue.sync(flags: .barrier) { () throws -> Int in throw Refused() }
    } catch {
      print("sync with flags throws", type(of: error))
    }

    let done = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + .milliseconds(5)) {
      lines.add("after a deadline")
      done.signal()
    }
    done.wait()
    queue.asyncAfter(
      deadline: DispatchTime.now() + 0.001, qos: .userInitiated, flags: .noQoS,
      execute: {
        lines.add("after a deadline, with a class")
        done.signal()
      })
    done.wait()
    queue.asyncAfter(wallDeadline: .now() + .milliseconds(5)) {
      lines.add("after a wall deadline")
      done.signal()
    }
    done.wait()
    queue.asyncAfter(wallDeadline: .now() - 1, qos: .background, flags: []) {
      lines.add("after a wall deadline that has passed")
      done.signal()
    }
    done.wait()
    queue.asyncAfter(
      deadline: .now(),
      execute: DispatchWorkItem {
        lines.add("an item after a deadline")
        done.signal()
      })
    done.wait()
    queue.asyncAfter(
      wallDeadline: .now(),
      execute: DispatchWorkItem {
        lines.add("an item after a wall deadline")
        done.signal()
      })
    done.wait()
    lines.show()

    DispatchQueue.concurrentPerform(iterations: 5) { index in lines.add("iteration \(index)") }
    lines.show(sorted: true)
    DispatchQueue.concurrentPerform(iterations: 0) { _ in print("never") }
  }
}
