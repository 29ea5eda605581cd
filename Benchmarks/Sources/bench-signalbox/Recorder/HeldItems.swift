import CBenchmark

extension Subject {
  /// What is only counted, by its name, and stands in no table.
  static let counted = [serialAsyncHeld]

  /// A serial `async` whose items are submitted while the queue is suspended, and run when it is
  /// not: the submitting thread and the worker take turns. Where they do not, how they meet decides
  /// what the allocator does, which is some percent of all instructions, another few in each build.
  static let serialAsyncHeld = Subject(
    name: "serial-async-held",
    title: "serial `async`, captures an Int, onto a suspended queue",
    goal: .none,
    measurement: .cost {
      let queue = DispatchQueue(label: "serial-async-held")
      return { operations in
        inBatches(operations, of: 1_000) { batch in
          queue.suspend()
          for number in 0..<batch {
            queue.async { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          }
          queue.resume()
          queue.sync {}
        }
      }
    })
}
