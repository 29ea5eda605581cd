import CBenchmark

extension Subject {
  /// Against `pthread_rwlock`.
  static let readersOnly = Subject(
    name: "rwlock-readers",
    title: "read–write lock: 2 threads, readers only",
    goal: .ratio(0.70, required: false),
    leastOperations: 20_000,
    measurement: .cost {
      let lock = ReadWriteLock()
      return { operations in
        let tally = Tally()
        let each = (operations + 1) / 2
        onThreads(2) {
          for _ in 0..<each {
            lock.lockForReading()
            cbench_consume(UInt64(truncatingIfNeeded: tally.value))
            lock.unlock()
          }
        }
      }
    })

  static let readerAlone = Subject(
    name: "rwlock-reader",
    title: "read–write lock: one reader, uncontended",
    goal: .none,
    measurement: .cost {
      keepAThreadAsleep()
      let lock = ReadWriteLock()
      return { operations in
        for _ in 0..<operations {
          lock.lockForReading()
          lock.unlock()
        }
      }
    })

  static let writerAlone = Subject(
    name: "rwlock-writer",
    title: "read–write lock: one writer, uncontended",
    goal: .none,
    measurement: .cost {
      keepAThreadAsleep()
      let lock = ReadWriteLock()
      return { operations in
        for _ in 0..<operations {
          lock.lockForWriting()
          lock.unlock()
        }
      }
    })

  /// What the readers' speed costs: each write looks for readers.
  static let readersAndWriters = Subject(
    name: "rwlock-mixed",
    title: "read–write lock: 8 threads, 9 reads to 1 write",
    goal: .none,
    leastOperations: 20_000,
    measurement: .cost {
      let lock = ReadWriteLock()
      return { operations in
        let tally = Tally()
        let rounds = (operations + 79) / 80
        onThreads(8) {
          for _ in 0..<rounds {
            for _ in 0..<9 {
              lock.lockForReading()
              cbench_consume(UInt64(truncatingIfNeeded: tally.value))
              lock.unlock()
            }
            lock.lockForWriting()
            tally.value &+= 1
            lock.unlock()
          }
        }
        precondition(tally.value == 8 * rounds)
      }
    })

  /// Against `NSRecursiveLock`.
  static let synchronizedOnOne = Subject(
    name: "synchronized",
    title: "`synchronized` on one object, uncontended",
    goal: .ratio(2.0, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let object = Tally()
      return { operations in
        for _ in 0..<operations { synchronized(object) { object.value &+= 1 } }
      }
    })
}
