import CBenchmark

extension Subject {
  static let queueLife = Subject(
    name: "queue-life",
    title: "queue creation and release",
    goal: .ratio(0.60, required: false),
    measurement: .cost {
      { operations in
        for _ in 0..<operations {
          let queue = DispatchQueue(label: "queue-life")
          // SAFETY: only the address is looked at.
          cbench_consume_pointer(Unmanaged.passUnretained(queue).toOpaque())
        }
      }
    })

  static let workItemLife = Subject(
    name: "work-item-life",
    title: "work item creation and `perform`",
    goal: .ratio(0.60, required: false),
    measurement: .cost {
      { operations in
        for number in 0..<operations {
          let item = DispatchWorkItem { cbench_consume(UInt64(truncatingIfNeeded: number)) }
          item.perform()
        }
      }
    })
}
