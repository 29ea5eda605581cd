import CBenchmark

extension Subject {
  static let concurrentPerformEmpty = Subject(
    name: "concurrent-perform-empty",
    title: "`concurrentPerform`: 1,000 empty bodies",
    goal: .ratio(1.0, required: false),
    countedOperations: 20,
    measurement: .cost {
      { operations in
        for _ in 0..<operations {
          DispatchQueue.concurrentPerform(iterations: 1_000) { iteration in
            cbench_consume(UInt64(truncatingIfNeeded: iteration))
          }
        }
      }
    })

  static let concurrentPerformShort = Subject(
    name: "concurrent-perform-100ns",
    title: "`concurrentPerform`: 1,000 bodies of 100 ns",
    goal: .ratio(1.0, required: false),
    countedOperations: 20,
    measurement: .cost {
      { operations in
        for _ in 0..<operations {
          DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
            cbench_compute(stepsIn100Nanoseconds)
          }
        }
      }
    })

  static let concurrentPerformLong = Subject(
    name: "concurrent-perform-2us",
    title: "`concurrentPerform`: 1,000 bodies of 2 µs",
    goal: .none,
    countedOperations: 20,
    measurement: .cost {
      { operations in
        for _ in 0..<operations {
          DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
            cbench_compute(20 * stepsIn100Nanoseconds)
          }
        }
      }
    })
}

/// Measured on a 2-core x86_64: 1.08 ns a step. The same number on every
/// machine, so that counts can be compared.
private let stepsIn100Nanoseconds: UInt64 = 93
