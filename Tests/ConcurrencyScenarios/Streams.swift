// Streams — asynchronous sequences.

package let streamScenarios: [String: AsyncScenario] = [
  "a-stream-keeps-its-order": {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    Task.detached {
      for number in 0..<10_000 {
        continuation.yield(number)
        if number.isMultiple(of: 100) { await Task.yield() }
      }
      continuation.finish()
    }
    var expected = 0
    var wrong = 0
    for await number in stream {
      if number != expected { wrong += 1 }
      expected += 1
    }
    report("read", expected)
    report("wrong", wrong)
  },

  "a-stream-buffers-as-it-was-told": {
    for (name, policy) in policies {
      let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: policy)
      var dropped: [Int] = []
      for number in 0..<6 {
        if case .dropped(let value) = continuation.yield(number) { dropped.append(value) }
      }
      continuation.finish()
      if case .terminated = continuation.yield(99) { report("\(name)Ended", true) }
      report("\(name)Dropped", list(dropped))
      report("\(name)Read", list(await stream.reduce(into: []) { $0.append($1) }))
    }
  },

  "a-stream-of-many-producers": {
    let producers = 8
    let each = 2000
    let (stream, continuation) = AsyncStream<(Int, Int)>.makeStream()
    let terminations = Tally()
    continuation.onTermination = { _ in terminations.increment() }
    Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for producer in 0..<producers {
          group.addTask {
            for step in 0..<each {
              continuation.yield((producer, step))
              if step.isMultiple(of: 64) { await Task.yield() }
            }
          }
        }
      }
      continuation.finish()
    }
    var next = [Int](repeating: 0, count: producers)
    var wrong = 0
    for await (producer, step) in stream {
      if next[producer] != step { wrong += 1 }
      next[producer] = step + 1
    }
    report("complete", next == [Int](repeating: each, count: producers))
    report("wrong", wrong)
    // The handler is called after the reader has seen the stream's end.
    while terminations.count == 0 { await Task.yield() }
    report("terminations", terminations.count)
  },

  "a-stream-that-throws": {
    struct Failure: Error {}
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    Task.detached {
      for number in 0..<5 { continuation.yield(number) }
      continuation.finish(throwing: Failure())
    }
    var sum = 0
    do {
      for try await number in stream { sum += number }
      report("threw", false)
    } catch is Failure { report("threw", true) }
    report("sum", sum)
  },

  "a-stream-that-is-asked": {
    let number = Tally()
    let stream = AsyncStream<Int> {
      await Task.yield()
      let next = number.increment()
      return next > 5 ? nil : next
    }
    report("read", list(await stream.reduce(into: []) { $0.append($1) }))
  },

  "sequences-of-sequences": {
    let numbers = AsyncStream<Int> { continuation in
      for number in 0..<100 { continuation.yield(number) }
      continuation.finish()
    }
    let chosen = numbers.filter { $0.isMultiple(of: 3) }.map { value in
      await Task.yield()
      return value * 2
    }.prefix(5)
    var read: [Int] = []
    for await value in chosen { read.append(value) }
    report("read", list(read))
  },

  "streams-in-a-chain": {
    // Each stage reads the previous one.
    var (stream, first) = AsyncStream<Int>.makeStream()
    for _ in 0..<20 {
      let (next, output) = AsyncStream<Int>.makeStream()
      let input = stream
      Task.detached {
        for await value in input { output.yield(value + 1) }
        output.finish()
      }
      stream = next
    }
    let source = first
    Task.detached {
      for number in 0..<500 { source.yield(number) }
      source.finish()
    }
    var expected = 20
    var wrong = 0
    for await value in stream {
      if value != expected { wrong += 1 }
      expected += 1
    }
    report("read", expected - 20)
    report("wrong", wrong)
  },
]

private let policies: [(String, AsyncStream<Int>.Continuation.BufferingPolicy)] = [
  ("unbounded", .unbounded), ("newest", .bufferingNewest(3)), ("oldest", .bufferingOldest(3)),
]

private func list(_ numbers: [Int]) -> String {
  numbers.isEmpty ? "none" : numbers.map { "\($0)" }.joined(separator: ",")
}
