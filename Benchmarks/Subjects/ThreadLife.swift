extension Subject {
  static let threadLife = Subject(
    name: "thread-life",
    title: "`Thread` from its start to its finish, joined",
    goal: .ratio(1.1, required: false),
    leastOperations: 2_000,
    measurement: .cost {
      { operations in
        for _ in 0..<operations {
          let thread = JoinableThread {}
          thread.start()
          thread.join()
        }
      }
    })
}
