import CBenchmark

extension Subject {
  static let onceDone = Subject(
    name: "once-done",
    title: "`Once`, already done; the toolchain with a lazy global",
    goal: .ratio(1.1, required: false),
    measurement: .cost {
      let made = MadeOnce()
      return { operations in
        for _ in 0..<operations { cbench_consume(made.value()) }
      }
    })
}
