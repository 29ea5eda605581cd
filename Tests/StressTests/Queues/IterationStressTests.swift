// IterationStressTests — nested `concurrentPerform`, and many callers.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let iterationSubjects = [
  Subject("every index of nested iterations comes once", nest),
  Subject("iterations called from items of every queue come to their end", fromItems),
]

@Suite struct IterationStressTests {
  @Test(arguments: iterationSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func nest(_ random: inout SeededGenerator) throws {
  let outer = Int.random(in: 0...12, using: &random)
  let middle = Int.random(in: 0...12, using: &random)
  let inner = Int.random(in: 1...12, using: &random)
  let seen = (0..<outer * middle * inner).map { _ in Counter() }
  let returns = Counter()
  try runThreads(2) { _ in
    DispatchQueue.concurrentPerform(iterations: outer) { first in
      DispatchQueue.concurrentPerform(iterations: middle) { second in
        DispatchQueue.concurrentPerform(iterations: inner) { third in
          seen[(first * middle + second) * inner + third].increment()
        }
        returns.increment()
      }
    }
  }
  try agree(returns.value, 2 * outer * middle, "inner calls that returned")
  for (index, count) in seen.enumerated() { try agree(count.value, 2, "visits of \(index)") }
}

private func fromItems(_ random: inout SeededGenerator) throws {
  let queues = [
    DispatchQueue(label: "org.signalbox.stress.iterating"),
    DispatchQueue(label: "org.signalbox.stress.iterating.all", attributes: .concurrent),
    DispatchQueue.global(), DispatchQueue.global(qos: .utility),
  ]
  let group = DispatchGroup()
  let callers = Int.random(in: 4...16, using: &random)
  let iterations = Int.random(in: 1...60, using: &random)
  let sums = (0..<callers).map { _ in Unguarded(Array(repeating: 0, count: iterations)) }
  let wrong = Counter()
  for caller in 0..<callers {
    queues.randomElement(using: &random)!.async(group: group) {
      sums[caller].value.withUnsafeMutableBufferPointer { buffer in
        // SAFETY: only one iteration writes each index.
        nonisolated(unsafe) let slots = buffer
        DispatchQueue.concurrentPerform(iterations: iterations) { index in
          slots[index] += index + 1
        }
      }
      // All iterations are done when it returns, so a plain read sees their writes.
      let sum = sums[caller].value.reduce(0, +)
      if sum != iterations * (iterations + 1) / 2 { wrong.increment() }
    }
  }
  group.wait()
  try agree(wrong.value, 0, "calls that returned before their iterations were done")
}
