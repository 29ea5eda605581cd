extension Subject {
  static let semaphore = Subject(
    name: "semaphore",
    title: "`DispatchSemaphore`: uncontended signal + wait",
    goal: .ratio(1.1, required: false),
    measurement: .cost {
      let semaphore = DispatchSemaphore(value: 0)
      return { operations in
        for _ in 0..<operations {
          semaphore.signal()
          semaphore.wait()
        }
      }
    })
}
