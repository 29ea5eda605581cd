import CBenchmark

extension Subject {
  static let asyncAfterCancelled = Subject(
    name: "async-after-cancelled",
    title: "`asyncAfter`: a new item, scheduled 10 s ahead and cancelled",
    goal: .ratio(0.30, required: false),
    measurement: .cost {
      let queue = DispatchQueue(label: "async-after-cancelled")
      return { operations in
        inBatches(operations) { batch in
          // One deadline a batch, so that reading the clock is not measured.
          let deadline = DispatchTime.now() + .seconds(10)
          for number in 0..<batch {
            let item = DispatchWorkItem { cbench_consume(UInt64(truncatingIfNeeded: number)) }
            queue.asyncAfter(deadline: deadline, execute: item)
            item.cancel()
          }
        }
      }
    })
}
