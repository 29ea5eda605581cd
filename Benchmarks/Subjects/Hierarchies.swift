import CBenchmark

extension Subject {
  static let specifics = Subject(
    name: "specifics",
    title: "`setSpecific` and `getSpecific` through three levels",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let key = DispatchSpecificKey<Int>()
      let root = DispatchQueue(label: "specifics.root")
      let middle = DispatchQueue(label: "specifics.middle", target: root)
      let leaf = DispatchQueue(label: "specifics.leaf", target: middle)
      // Each level carries something, as in a program that marks its queues.
      let mark = DispatchSpecificKey<String>()
      leaf.setSpecific(key: mark, value: "leaf")
      middle.setSpecific(key: mark, value: "middle")
      return { operations in
        leaf.sync {
          for number in 0..<operations {
            root.setSpecific(key: key, value: number)
            let found = DispatchQueue.getSpecific(key: key)
            precondition(found == number)
            cbench_consume(UInt64(truncatingIfNeeded: found!))
          }
        }
      }
    })

  static let specificsRead = Subject(
    name: "specifics-read",
    title: "`getSpecific` through three levels",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let key = DispatchSpecificKey<Int>()
      let root = DispatchQueue(label: "specifics-read.root")
      let middle = DispatchQueue(label: "specifics-read.middle", target: root)
      let leaf = DispatchQueue(label: "specifics-read.leaf", target: middle)
      root.setSpecific(key: key, value: 7)
      return { operations in
        leaf.sync {
          for _ in 0..<operations {
            cbench_consume(UInt64(truncatingIfNeeded: DispatchQueue.getSpecific(key: key)!))
          }
        }
      }
    })

  static let targetChain = Subject(
    name: "target-chain",
    title: "`async` through a chain of three target queues",
    goal: .ratio(0.50, required: false),
    measurement: .cost {
      let root = DispatchQueue(label: "target-chain.root")
      let middle = DispatchQueue(label: "target-chain.middle", target: root)
      let leaf = DispatchQueue(label: "target-chain.leaf", target: middle)
      return { operations in
        let tally = Tally()
        inBatches(operations) { batch in
          for number in 0..<batch {
            leaf.async {
              cbench_consume(UInt64(truncatingIfNeeded: number))
              tally.value &+= 1
            }
          }
          leaf.sync {}
        }
        precondition(tally.value == operations)
      }
    })

  static let manyQueuesOneTarget = Subject(
    name: "many-queues-one-target",
    title: "1,000 queues that target one, an item each, round and round",
    goal: .ratio(0.60, required: false),
    measurement: .cost {
      let target = DispatchQueue(label: "many-queues-one-target")
      let queues = (0..<1_000).map {
        DispatchQueue(label: "many-queues-one-target.\($0)", target: target)
      }
      let countdown = Countdown()
      return { operations in
        let tally = Tally()
        inBatches(operations) { batch in
          countdown.expect(batch)
          for number in 0..<batch {
            queues[number % queues.count].async {
              tally.value &+= 1
              countdown.arrive()
            }
          }
          countdown.wait()
        }
        precondition(tally.value == operations)
      }
    })

  static let hopBesideReader = Subject(
    name: "hop-beside-reader",
    title: "hop between A and B while a third thread reads specifics",
    goal: .ratio(0.30, required: false),
    // Two threads are started for each sample.
    leastOperations: 10_000,
    measurement: .cost {
      let key = DispatchSpecificKey<Int>()
      let pair = HoppingPair(marking: key)
      return { operations in pair.hop(operations, besideReaderOf: key) }
    })
}
