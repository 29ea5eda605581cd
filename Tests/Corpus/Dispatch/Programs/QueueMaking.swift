// QueueMaking — queues of every kind, with every attribute, and their descriptions.

import Dispatch

enum QueueMaking {
  static func run() {
    let plain = DispatchQueue(label: "corpus.plain")
    print(plain.label, plain.qos.qosClass, plain.qos.relativePriority)
    let classes: [DispatchQoS] = [
      .background, .utility, .default, .userInitiated, .userInteractive, .unspecified,
    ]
    for qos in classes {
      let queue = DispatchQueue(label: "corpus.class", qos: qos)
      print("asked for \(qos.qosClass), got \(queue.qos.qosClass)")
    }

    for frequency in [DispatchQueue.AutoreleaseFrequency.inherit, .workItem, .never] {
      let queue = DispatchQueue(
        label: "corpus.\(frequency)", qos: .utility, attributes: [.concurrent],
        autoreleaseFrequency: frequency, target: plain)
      print(queue.label, queue.sync { "ran" })
    }

    let inactive = DispatchQueue(
      label: "corpus.inactive", attributes: [.initiallyInactive, .concurrent], target: nil)
    let order = Lines()
    inactive.async { order.add("after the activation") }
    inactive.setTarget(queue: plain)
    order.add("before the activation")
    inactive.activate()
    inactive.sync(flags: .barrier) {}
    order.show()

    let held: DispatchObject = DispatchQueue(label: "corpus.held")
    held.suspend()
    (held as? DispatchQueue)?.async { order.add("after the resumption") }
    order.add("before the resumption")
    held.resume()
    (held as? DispatchQueue)?.sync {}
    order.show()

    for qos: DispatchQoS.QoSClass in [.background, .utility, .default, .userInitiated] {
      print(DispatchQueue.global(qos: qos).qos.qosClass)
    }
    for priority in [DispatchQueue.GlobalQueuePriority.high, .default, .low, .background] {
      print(priority, DispatchQueue.global(priority: priority).sync { "ran" })
    }
    print(DispatchQueue.global().sync { 7 }, DispatchQueue.main.label)
    print(DispatchQueue.GlobalQueuePriority.high != .low)
    print(DispatchQueue.AutoreleaseFrequency.never != .inherit)
  }
}
