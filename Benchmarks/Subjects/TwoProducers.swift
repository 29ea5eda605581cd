import CBenchmark

extension Subject {
  static let twoProducers = Subject(
    name: "two-producers",
    title: "two producers, one serial queue",
    goal: .ratio(0.60, required: false),
    measurement: .cost {
      let queue = DispatchQueue(label: "two-producers")
      return { operations in
        let tally = Tally()
        let each = (operations + 1) / 2
        // The batches are longer than elsewhere: each starts two threads.
        inBatches(each, of: 20_000) { batch in
          onThreads(2) {
            for number in 0..<batch {
              queue.async {
                cbench_consume(UInt64(truncatingIfNeeded: number))
                tally.value &+= 1
              }
            }
          }
          queue.sync {}
        }
        precondition(tally.value == 2 * each)
      }
    })
}
