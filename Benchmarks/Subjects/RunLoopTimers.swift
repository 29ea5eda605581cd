import BenchmarkRecord

extension Subject {
  static let runLoopTimer = runLoopTimers(live: 1, goal: .ratio(0.40, required: false))
  static let runLoopTimersMany = runLoopTimers(live: 10_000, goal: .ratio(0.05, required: false))

  private static func runLoopTimers(live: Int, goal: Goal) -> Subject {
    let name = "run-loop-timer-\(live)"
    return Subject(
      name: name,
      title: "a timer of a run loop made, added, invalidated, with "
        + (live == 1 ? "one live" : "10,000 live"),
      goal: goal,
      measurement: .cost {
        // No loop runs in it, so that none of them fires.
        let mode = RunLoop.Mode(name)
        // Steps by a prime: in no order.
        func seconds(_ number: Int) -> Double { 10_000 + Double(number * 7_919 % live) }
        for number in 0..<live {
          let timer = Timer(timeInterval: seconds(number), repeats: false) { _ in }
          RunLoop.main.add(timer, forMode: mode)
        }
        return { operations in
          for number in 0..<operations {
            let timer = Timer(timeInterval: seconds(number) + 0.5, repeats: false) { _ in }
            RunLoop.main.add(timer, forMode: mode)
            timer.invalidate()
          }
        }
      })
  }
}
