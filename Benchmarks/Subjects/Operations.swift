import CBenchmark

extension Subject {
  static let operationQueue = Subject(
    name: "operation-queue",
    title: "`OperationQueue`: add + run an empty block operation",
    goal: .ratio(0.15, required: true),
    leastOperations: 1_000,
    measurement: .cost {
      let queue = OperationQueue()
      return { operations in
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch { queue.addOperation(arrival(number)) }
          countdown.wait()
        }
      }
    })

  static let operationQueueBlock = Subject(
    name: "operation-queue-block",
    title: "`OperationQueue`: add + run an empty block",
    goal: .ratio(0.15, required: true),
    leastOperations: 1_000,
    measurement: .cost {
      let queue = OperationQueue()
      return { operations in
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch {
            queue.addOperation {
              cbench_consume(UInt64(truncatingIfNeeded: number))
              countdown.arrive()
            }
          }
          countdown.wait()
        }
      }
    })

  /// Each waits for the one before it; from making the first to the end of the last.
  static let operationChain = Subject(
    name: "operation-chain",
    title: """
      chain of 10,000 dependent operations, per operation; the toolchain, which is quadratic, \
      with 1,000
      """,
    goal: .value(2_000),
    measurement: .figure(unit: "ns") { effort in
      let length = effort.operations ?? chainLength
      return (0..<effort.samples).map { _ in costInChain(of: length) }.sorted()[effort.samples / 2]
    })

  /// As ``operationChain``, of ten times the length.
  static let growthOfOperationChain = Subject(
    name: "growth-of-operation-chains",
    title: """
      chain of 100,000 dependent operations against one of 10,000, per operation; the \
      toolchain, which is quadratic, with 1,000 and 100
      """,
    goal: .value(2),
    measurement: .figure(unit: "×") { effort in
      let length = effort.operations ?? chainLength
      let lengths =
        effort.operations != nil || implementation == "signalbox"
        ? [length, 10 * length] : [length / 10, length]
      // The first one of each warms up.
      let costs = lengths.map { length in
        (0..<effort.samples).map { _ in costInChain(of: length) }.min()!
      }
      return costs[1] / costs[0]
    })

  /// One before all, one after all.
  static let operationFan = Subject(
    name: "operation-fan",
    title: "fan-out and fan-in of 1,000 operations, per operation",
    goal: .ratio(0.15, required: false),
    measurement: .figure(unit: "ns") { effort in
      let width = effort.operations ?? 1_000
      return (0..<effort.samples).map { _ in costInFan(of: width) }.sorted()[effort.samples / 2]
    })

  /// All are queued before the first runs, so that each is chosen among the others.
  static let operationPriorities = Subject(
    name: "operation-priorities",
    title: "operations of four priorities, width 1: per operation",
    goal: .ratio(0.20, required: false),
    leastOperations: 1_000,
    measurement: .cost {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let priorities: [Operation.QueuePriority] = [.veryHigh, .low, .normal, .high]
      return { operations in
        inBatches(operations, of: 1_000) { batch in
          queue.isSuspended = true
          countdown.expect(batch)
          for number in 0..<batch {
            let operation = arrival(number)
            operation.queuePriority = priorities[number % priorities.count]
            queue.addOperation(operation)
          }
          queue.isSuspended = false
          countdown.wait()
        }
      }
    })
}

/// Ten thousand take the toolchain more than a minute.
private let chainLength = implementation == "toolchain" ? 1_000 : 10_000

/// A global one, so that a block captures an Int and nothing else. The toolchain's own wait
/// for all operations of a queue has been seen to return before they had run.
private let countdown = Countdown()

private func arrival(_ number: Int) -> BlockOperation {
  BlockOperation {
    cbench_consume(UInt64(truncatingIfNeeded: number))
    countdown.arrive()
  }
}

private func consumer(_ number: Int) -> BlockOperation {
  BlockOperation { cbench_consume(UInt64(truncatingIfNeeded: number)) }
}

/// Nanoseconds for each of so many operations of a chain.
private func costInChain(of length: Int) -> Double {
  let queue = OperationQueue()
  let start = cbench_now()
  var chain: [Operation] = []
  for number in 0..<length {
    let operation = consumer(number)
    if let last = chain.last { operation.addDependency(last) }
    chain.append(operation)
  }
  queue.addOperations(chain, waitUntilFinished: true)
  return Double(cbench_now() - start) / Double(length)
}

/// Nanoseconds for each of so many operations between the first and the last one.
private func costInFan(of width: Int) -> Double {
  let queue = OperationQueue()
  let start = cbench_now()
  let first = consumer(0), last = consumer(width)
  var all: [Operation] = [first]
  for number in 0..<width {
    let operation = consumer(number)
    operation.addDependency(first)
    last.addDependency(operation)
    all.append(operation)
  }
  all.append(last)
  queue.addOperations(all, waitUntilFinished: true)
  return Double(cbench_now() - start) / Double(all.count)
}
