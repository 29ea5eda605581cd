import CBenchmark

extension Subject {
  static let nsLock = Subject(
    name: "nslock",
    title: "`NSLock`, lock and unlock, uncontended",
    goal: .ratio(0.80, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let lock = NSLock()
      return { operations in
        for _ in 0..<operations {
          lock.lock()
          lock.unlock()
        }
      }
    })

  static let nsLockWithLock = Subject(
    name: "nslock-with-lock",
    title: "`NSLock.withLock`, uncontended",
    goal: .ratio(0.80, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let lock = NSLock()
      let tally = Tally()
      return { operations in
        for _ in 0..<operations { lock.withLock { tally.value &+= 1 } }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  static let nsLockTwoThreads = contendedLock(threads: 2)
  static let nsLockEightThreads = contendedLock(threads: 8)

  private static func contendedLock(threads: Int) -> Subject {
    Subject(
      name: "nslock-\(threads)-threads",
      title: "`NSLock`, \(threads) threads contending, short critical section",
      goal: .ratio(0.80, required: false),
      leastOperations: 50_000,
      measurement: .cost {
        let lock = NSLock()
        return { operations in
          let tally = Tally()
          let each = (operations + threads - 1) / threads
          onThreads(threads) {
            for _ in 0..<each { lock.withLock { tally.value &+= 1 } }
          }
          precondition(tally.value == threads * each)
        }
      })
  }

  static let unfairLock = Subject(
    name: "unfair-lock",
    title: "`UnfairLock` against `Synchronization.Mutex`, uncontended",
    goal: .ratio(1.05, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let lock = SmallLock()
      let tally = Tally()
      return { operations in
        for _ in 0..<operations { lock.within { tally.value &+= 1 } }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  static let unfairLockEightThreads = Subject(
    name: "unfair-lock-8-threads",
    title: "`UnfairLock` against `Synchronization.Mutex`, 8 threads contending",
    goal: .ratio(0.50, required: false),
    leastOperations: 50_000,
    measurement: .cost {
      let lock = SmallLock()
      return { operations in
        let tally = Tally()
        let each = (operations + 7) / 8
        onThreads(8) {
          for _ in 0..<each { lock.within { tally.value &+= 1 } }
        }
        precondition(tally.value == 8 * each)
      }
    })
}
