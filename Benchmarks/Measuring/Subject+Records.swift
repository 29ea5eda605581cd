import BenchmarkRecord
import CBenchmark

extension Subject {
  /// Measures the subject in this process.
  func records(_ effort: Effort) -> [Record] {
    switch measurement {
    case .cost(let prepare): [costRecord(prepare(), effort)]
    case .latency(let trials, let processorTime, let perform):
      latencyRecords(max(2, trials / effort.trialDivisor), processorTime, perform)
    case .episode(let happen): [episodeRecord(happen(effort.timeout))]
    case .figure(let unit, let measure):
      [record(Quantiles([measure(effort)]), operations: 1, switches: 0, unit: unit)]
    }
  }

  /// Performs exactly so many operations, for a tool that counts from outside.
  func perform(operations: Int) {
    switch measurement {
    case .cost(let prepare): prepare()(operations)
    case .latency(_, _, let perform): _ = perform(operations)
    case .episode, .figure: break
    }
  }

  private func costRecord(_ perform: (Int) -> Void, _ effort: Effort) -> Record {
    let operations = calibrate(perform, effort)
    let switchesBefore = cbench_context_switches()
    let processorTimeBefore = cbench_processor_time()
    let samples = (0..<effort.samples).map { _ in
      Double(nanoseconds { perform(operations) }) / Double(operations)
    }
    let processorTime = cbench_processor_time() - processorTimeBefore
    let switches = cbench_context_switches() - switchesBefore
    let all = Double(operations * effort.samples)
    var record = record(
      Quantiles(samples), operations: operations, switches: Double(switches) / all)
    record.processorTime = Double(processorTime) / all
    return record
  }

  /// The operations that fill a sample. Warms up on the way there.
  private func calibrate(_ perform: (Int) -> Void, _ effort: Effort) -> Int {
    if let operations = effort.operations { return operations }
    var operations = leastOperations
    while true {
      let elapsed = nanoseconds { perform(operations) }
      if elapsed >= effort.nanosecondsPerSample / 4 {
        let scale = Double(effort.nanosecondsPerSample) / Double(elapsed)
        operations = max(leastOperations, Int(Double(operations) * scale))
        // A process that other work delays seems to need few operations, so they are tried.
        let sample = nanoseconds { perform(operations) }
        if sample >= effort.nanosecondsPerSample / 2 { return operations }
      }
      operations *= 4
    }
  }

  private func latencyRecords(
    _ trials: Int, _ processorTimeGoal: Goal?, _ perform: (Int) -> [UInt64]
  ) -> [Record] {
    // The first trials start the threads; they are not what is asked for.
    _ = perform(max(1, trials / 10))
    let switchesBefore = cbench_context_switches()
    let processorTimeBefore = cbench_processor_time()
    let samples = Quantiles(perform(trials).map { Double($0) / 1_000 })
    let processorTime = cbench_processor_time() - processorTimeBefore
    let switches = Double(cbench_context_switches() - switchesBefore) / Double(trials)

    let median = record(samples, operations: trials, switches: switches, unit: "µs")
    let percentile = Int((tail * 100).rounded())
    var late = median
    late.name += "-p\(percentile)"
    late.title += ", \(percentile)th percentile"
    late.median = samples[tail]
    late.goal = .none
    guard let processorTimeGoal else { return [median, late] }

    var processor = median
    processor.name += "-processor-time"
    processor.title += ", processor time"
    processor.median = Double(processorTime) / Double(trials) / 1_000
    processor.minimum = processor.median
    processor.goal = processorTimeGoal
    return [median, late, processor]
  }

  private func episodeRecord(_ episode: Episode) -> Record {
    let complete = episode.arrived == episode.expected
    return record(
      Quantiles([Double(episode.nanoseconds) / 1_000_000]), operations: 1, switches: 0, unit: "ms",
      note: complete ? "" : "\(episode.arrived) of \(episode.expected)")
  }

  private func record(
    _ samples: Quantiles, operations: Int, switches: Double, unit: String = "ns", note: String = ""
  ) -> Record {
    Record(
      subject: name, name: name, title: title, unit: unit, goal: goal,
      median: samples.median, minimum: samples.minimum, operations: operations, switches: switches,
      note: note)
  }
}

func nanoseconds(_ body: () -> Void) -> UInt64 {
  let start = cbench_now()
  body()
  return cbench_now() - start
}
