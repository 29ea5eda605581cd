import CBenchmark

extension Subject {
  /// The processor time includes the pause before each trial, alike on both
  /// sides: what a worker spends after its item, spinning or parking, counts.
  static let handOff = Subject(
    name: "hand-off",
    title: "hand-off to a worker asleep for 300 µs, and back",
    goal: .ratio(1.0, required: false),
    pinned: true,
    countedOperations: 100,
    measurement: .latency(trials: 300, processorTime: .ratio(1.0, required: false)) { trials in
      let queue = DispatchQueue(label: "hand-off")
      let back = DispatchSemaphore(value: 0)
      return (0..<trials).map { _ in
        cbench_sleep_microseconds(300)
        let start = cbench_now()
        queue.async { back.signal() }
        back.wait()
        return cbench_now() - start
      }
    })
}
