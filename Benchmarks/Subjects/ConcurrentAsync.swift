import CBenchmark

extension Subject {
  static let concurrentAsync = Subject(
    name: "concurrent-async",
    title: "concurrent-queue `async`",
    goal: .ratio(0.40, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "concurrent-async", attributes: .concurrent)
      return { operations in
        inBatches(operations) { batch in
          for number in 0..<batch {
            queue.async { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          }
          queue.sync(flags: .barrier) {}
        }
      }
    })

  /// A global queue has no barrier that would wait for its items, so each item
  /// counts itself.
  static let globalAsync = Subject(
    name: "global-async",
    title: "global-queue `async`",
    goal: .ratio(0.40, required: true),
    measurement: .cost {
      let queue = DispatchQueue.global()
      let countdown = Countdown()
      return { operations in
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch {
            queue.async {
              cbench_consume(UInt64(truncatingIfNeeded: number))
              countdown.arrive()
            }
          }
          countdown.wait()
        }
      }
    })

  static let groupAsync = Subject(
    name: "group-async",
    title: "global-queue `async(group:)`",
    goal: .ratio(0.40, required: true),
    measurement: .cost {
      let queue = DispatchQueue.global()
      let group = DispatchGroup()
      return { operations in
        inBatches(operations) { batch in
          for number in 0..<batch {
            queue.async(group: group) { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          }
          group.wait()
        }
      }
    })

  /// One more item submits the others, from a thread of the pool.
  static let groupAsyncInside = Subject(
    name: "group-async-inside",
    title: "global-queue `async(group:)`, from an item of the queue",
    goal: .none,
    measurement: .cost {
      let queue = DispatchQueue.global()
      let group = DispatchGroup()
      return { operations in
        inBatches(operations) { batch in
          queue.async(group: group) {
            for number in 0..<batch {
              queue.async(group: group) { cbench_consume(UInt64(truncatingIfNeeded: number)) }
            }
          }
          group.wait()
        }
      }
    })
}
