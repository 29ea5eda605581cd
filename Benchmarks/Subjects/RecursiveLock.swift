import CBenchmark

extension Subject {
  static let recursiveLock = Subject(
    name: "recursive-lock",
    title: "`NSRecursiveLock`: lock, lock again, unlock twice, uncontended",
    goal: .ratio(0.80, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let lock = NSRecursiveLock()
      let tally = Tally()
      return { operations in
        for _ in 0..<operations {
          lock.lock()
          lock.lock()
          tally.value &+= 1
          lock.unlock()
          lock.unlock()
        }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })
}
