import CBenchmark

extension Subject {
  static let growthOfSerialQueues = growth(
    "serial-queues", "items spread over 1 to 10,000 serial queues", over: queueCounts
  ) { queues, least in spread(over: queues, least: least, attributes: []) }

  static let growthOfConcurrentQueues = growth(
    "concurrent-queues", "items spread over 1 to 10,000 concurrent queues", over: queueCounts
  ) { queues, least in spread(over: queues, least: least, attributes: .concurrent) }

  static let growthOfSerialItems = growth(
    "serial-items", "1 to 1,000,000 items pending on a serial queue", over: itemCounts
  ) { items, least in pend(items, least: least, attributes: []) }

  static let growthOfConcurrentItems = growth(
    "concurrent-items", "1 to 1,000,000 items pending on a concurrent queue", over: itemCounts
  ) { items, least in pend(items, least: least, attributes: .concurrent) }

  private static let queueCounts = [1, 10, 100, 1_000, 10_000]
  private static let itemCounts = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

  /// How many times the smallest case's cost of an item the dearest case costs.
  private static func growth(
    _ name: String, _ title: String, over sizes: [Int],
    _ perform: @escaping @Sendable (Int, Int) -> UInt64
  ) -> Subject {
    Subject(
      name: "growth-of-\(name)", title: "\(title): the dearest item against the smallest case",
      goal: .value(2),
      measurement: .figure(unit: "×") { effort in
        let sizes = effort.samples > 1 ? sizes : Array(sizes.prefix(2))
        let least = effort.samples > 1 ? leastItems : leastItems / 100
        let costs = sizes.map { size in
          // The first performance warms up.
          (0..<4).map { _ in Double(perform(size, least)) }.dropFirst().min()!
        }
        return costs.max()! / costs[0]
      })
  }
}

/// How many items are submitted for one figure, where a case has fewer.
private let leastItems = 100_000

/// Nanoseconds for each of the items that go to so many queues in turn.
private func spread(
  over count: Int, least: Int, attributes: DispatchQueue.Attributes
) -> UInt64 {
  let queues = (0..<count).map {
    DispatchQueue(label: "growth.\($0)", attributes: attributes)
  }
  let countdown = Countdown()
  let items = max(least, count)
  let start = cbench_now()
  // In batches, or the pending items would be measured and not the queues.
  inBatches(items) { batch in
    countdown.expect(batch)
    for number in 0..<batch { queues[number % count].async { countdown.arrive() } }
    countdown.wait()
  }
  return (cbench_now() - start) / UInt64(items)
}

/// Nanoseconds for each of so many items that are all pending before the first runs.
private func pend(_ count: Int, least: Int, attributes: DispatchQueue.Attributes) -> UInt64 {
  let queue = DispatchQueue(label: "growth", attributes: attributes)
  let countdown = Countdown()
  let rounds = max(1, least / 10 / count)
  let start = cbench_now()
  for _ in 0..<rounds {
    countdown.expect(count)
    queue.suspend()
    for _ in 0..<count { queue.async { countdown.arrive() } }
    queue.resume()
    countdown.wait()
  }
  return (cbench_now() - start) / UInt64(rounds * count)
}
