import CBenchmark

extension Subject {
  /// The documents' own pattern: reads wait, writes do not.
  static let readersAndAsyncWriter = readersWriters(
    name: "readers-writers", title: "readers–writers: 8 threads, 9 `sync` to 1 barrier `async`"
  ) { queue, tally in
    queue.async(flags: .barrier) { tally.value &+= 1 }
  }

  static let readersAndSyncWriter = readersWriters(
    name: "readers-writers-sync", title: "readers–writers: 8 threads, 9 `sync` to 1 barrier `sync`"
  ) { queue, tally in
    queue.sync(flags: .barrier) { tally.value &+= 1 }
  }

  private static func readersWriters(
    name: String, title: String, write: @escaping @Sendable (DispatchQueue, Tally) -> Void
  ) -> Subject {
    Subject(
      name: name, title: title, goal: .ratio(0.60, required: false),
      leastOperations: 4_000,
      measurement: .cost {
        let queue = DispatchQueue(label: "readers-writers", attributes: .concurrent)
        return { operations in
          let tally = Tally()
          let rounds = (operations + 79) / 80
          onThreads(8) {
            for _ in 0..<rounds {
              for _ in 0..<9 {
                let value = queue.sync { tally.value }
                cbench_consume(UInt64(truncatingIfNeeded: value))
              }
              write(queue, tally)
            }
          }
          queue.sync(flags: .barrier) {}
          precondition(tally.value == 8 * rounds)
        }
      })
  }
}
