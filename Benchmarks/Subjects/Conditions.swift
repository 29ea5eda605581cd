import CBenchmark

extension Subject {
  static let conditionLock = Subject(
    name: "condition-lock",
    title: "`NSConditionLock`: `lock(whenCondition:)` + `unlock(withCondition:)`, uncontended",
    goal: .ratio(0.30, required: false),
    measurement: .cost {
      keepAThreadAsleep()
      let lock = NSConditionLock(condition: 0)
      let tally = Tally()
      return { operations in
        for number in 0..<operations {
          lock.lock(whenCondition: number & 1)
          tally.value &+= 1
          lock.unlock(withCondition: (number + 1) & 1)
        }
        if operations & 1 == 1 {
          lock.lock()
          lock.unlock(withCondition: 0)
        }
        cbench_consume(UInt64(truncatingIfNeeded: tally.value))
      }
    })

  /// An operation is a turn: a thread finds that it is its own, and gives it to the other.
  static let conditionPingPong = Subject(
    name: "condition-ping-pong",
    title: "`NSCondition`: a turn given to and fro between two threads",
    goal: .ratio(0.85, required: false),
    leastOperations: 2_000,
    measurement: .cost {
      let condition = NSCondition()
      return { operations in
        let turn = Tally()
        let party = Tally()
        let each = (operations + 1) / 2
        onThreads(2) {
          condition.lock()
          let own = party.value
          party.value = 1
          for _ in 0..<each {
            while turn.value & 1 != own { condition.wait() }
            turn.value &+= 1
            condition.signal()
          }
          condition.unlock()
        }
        precondition(turn.value == 2 * each)
      }
    })
}
