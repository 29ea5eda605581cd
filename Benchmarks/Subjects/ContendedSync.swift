extension Subject {
  static let contendedSync = Subject(
    name: "contended-sync",
    title: "`sync` contended by two threads",
    goal: .ratio(0.70, required: false),
    leastOperations: 20_000,
    measurement: .cost {
      let queue = DispatchQueue(label: "contended-sync")
      return { operations in
        let tally = Tally()
        let each = (operations + 1) / 2
        onThreads(2) {
          for _ in 0..<each { queue.sync { tally.value &+= 1 } }
        }
        precondition(tally.value == 2 * each)
      }
    })
}
