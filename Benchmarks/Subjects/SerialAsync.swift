import CBenchmark

extension Subject {
  static let serialAsyncInt = Subject(
    name: "serial-async-int",
    title: "serial `async`, captures an Int",
    goal: .ratio(0.40, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "serial-async-int")
      return { operations in
        inBatches(operations) { batch in
          for number in 0..<batch {
            queue.async { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          }
          queue.sync {}
        }
      }
    })

  static let serialAsyncIntAndObject = Subject(
    name: "serial-async-object",
    title: "serial `async`, captures an Int and an object",
    goal: .ratio(0.40, required: true),
    measurement: .cost {
      let queue = DispatchQueue(label: "serial-async-object")
      return { operations in
        let tally = Tally()
        inBatches(operations) { batch in
          for number in 0..<batch {
            queue.async {
              cbench_consume(UInt64(truncatingIfNeeded: number))
              tally.value &+= 1
            }
          }
          queue.sync {}
        }
        precondition(tally.value == operations)
      }
    })
}
