import CBenchmark
import Synchronization

extension Subject {
  /// What is measured with one processor, two, four, up to all of them: see `bench --scale`.
  static let scale: [Subject] =
    [1, 8, 64].map(flood) + [spawn, spreadItems, hops, forkAndJoin, lockOfAll]
    + [1, 8, 64].map(startLatency)

  private static func threads(_ count: Int) -> String {
    count == 1 ? "one thread" : "\(count) threads"
  }

  /// Threads that Dispatch knows nothing of submit items, and nobody else does.
  private static func flood(by producers: Int) -> Subject {
    Subject(
      name: "scale-flood-\(producers)",
      title: "items of 1 µs, submitted by \(threads(producers))",
      goal: .none,
      leastOperations: 8_192,
      measurement: .cost {
        let queue = DispatchQueue.global()
        let countdown = SpreadCountdown()
        return { operations in
          inBatches((operations + producers - 1) / producers, of: 65_536 / producers) { batch in
            countdown.expect(batch, of: producers)
            onThreads(producers) {
              for number in 0..<batch {
                queue.async {
                  cbench_compute(stepsInMicrosecond)
                  countdown.arrive(number)
                }
              }
            }
            countdown.wait()
          }
        }
      })
  }

  /// Each item submits two halves of its work, down to items that compute.
  private static let spawn = Subject(
    name: "scale-spawn",
    title: "items of 1 µs, submitted by items",
    goal: .none,
    leastOperations: 8_192,
    measurement: .cost {
      let countdown = SpreadCountdown()
      @Sendable func halve(_ range: Range<Int>) {
        if range.count == 1 {
          cbench_compute(stepsInMicrosecond)
          return countdown.arrive(range.lowerBound)
        }
        let middle = range.lowerBound + range.count / 2
        DispatchQueue.global().async { halve(range.lowerBound..<middle) }
        DispatchQueue.global().async { halve(middle..<range.upperBound) }
      }
      return { operations in
        countdown.expect(operations)
        halve(0..<operations)
        countdown.wait()
      }
    })

  private static let spreadItems = Subject(
    name: "scale-queues",
    title: "items of 100 ns on 10,000 serial queues, submitted by 8 threads",
    goal: .none,
    leastOperations: 40_000,
    measurement: .cost {
      let queues = (0..<10_000).map { DispatchQueue(label: "scale.\($0)") }
      let countdown = SpreadCountdown()
      return { operations in
        let each = (operations + 7) / 8
        countdown.expect(each, of: 8)
        onThreads(8) {
          for number in 0..<each {
            // Two items for a queue, then the next one.
            queues[number / 2 % queues.count].async {
              cbench_compute(stepsInMicrosecond / 10)
              countdown.arrive(number)
            }
          }
        }
        countdown.wait()
      }
    })

  private static let hops = Subject(
    name: "scale-hops",
    title: "hops of 64 pairs of serial queues",
    goal: .none,
    leastOperations: 6_400,
    measurement: .cost {
      let pairs = (0..<64).map { _ in HoppingPair() }
      let group = DispatchGroup()
      return { operations in
        for pair in pairs {
          group.enter()
          pair.hop(operations / pairs.count) { group.leave() }
        }
        group.wait()
      }
    })

  private static let forkAndJoin = Subject(
    name: "scale-fork",
    title: "`concurrentPerform` of 256 bodies of 1 µs, an item a body",
    goal: .none,
    leastOperations: 2_560,
    measurement: .cost {
      { operations in
        for _ in 0..<max(1, operations / 256) {
          DispatchQueue.concurrentPerform(iterations: 256) { _ in
            cbench_compute(stepsInMicrosecond)
          }
        }
      }
    })

  private static let lockOfAll = Subject(
    name: "scale-lock",
    title: "`NSLock`, as many threads as processors, 100 ns between two turns",
    goal: .none,
    leastOperations: 50_000,
    measurement: .cost {
      let threads = Int(cbench_processors())
      let lock = NSLock()
      return { operations in
        let tally = Tally()
        let each = (operations + threads - 1) / threads
        onThreads(threads) {
          for _ in 0..<each {
            lock.withLock { tally.value &+= 1 }
            cbench_compute(stepsInMicrosecond / 10)
          }
        }
        precondition(tally.value == threads * each)
      }
    })

  /// Each thread has at most 16 items that have not ended.
  private static func startLatency(by producers: Int) -> Subject {
    var subject = Subject(
      name: "scale-start-\(producers)",
      title: "from submission to start, \(threads(producers)) with 16 items of 1 µs each",
      goal: .none,
      measurement: .latency(trials: 20_000, processorTime: nil) { trials in
        let each = (trials + producers - 1) / producers
        let latencies = Latencies(producers * each)
        onThreads(producers) {
          let free = DispatchSemaphore(value: 16)
          for number in latencies.takeNumbers(each) {
            free.wait()
            let submitted = cbench_now()
            DispatchQueue.global().async {
              latencies.set(number, cbench_now() - submitted)
              cbench_compute(stepsInMicrosecond)
              free.signal()
            }
          }
          for _ in 0..<16 { free.wait() }
          // A semaphore must not be freed below the value that it was made with.
          for _ in 0..<16 { free.signal() }
        }
        return latencies.all
      })
    subject.tail = 0.99
    return subject
  }
}

/// What the items of several threads have measured.
// SAFETY: each number's place is written by one item, and read when all have ended.
private final class Latencies: @unchecked Sendable {
  private let taken = Atomic<Int>(0)
  private let values: UnsafeMutableBufferPointer<UInt64>

  init(_ count: Int) {
    values = .allocate(capacity: count)
    values.initialize(repeating: 0)
  }

  deinit { values.deallocate() }

  /// Numbers that no other thread gets.
  func takeNumbers(_ count: Int) -> Range<Int> {
    // order: relaxed; only the number itself matters.
    let end = taken.add(count, ordering: .relaxed).newValue
    return end - count..<end
  }

  func set(_ number: Int, _ nanoseconds: UInt64) { values[number] = nanoseconds }

  var all: [UInt64] { Array(values) }
}

/// Measured on a 2-core x86_64: 1.08 ns a step. The same number on every machine.
private let stepsInMicrosecond: UInt64 = 930
