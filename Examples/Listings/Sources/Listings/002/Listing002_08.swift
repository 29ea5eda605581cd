import SignalboxDispatch

extension Listing {
  static let number002_08 = Listing(
    "002-08", heading: "Waiting for many concurrent jobs",
    shows: "enter, leave in the completion, wait forever",
    outcome: "the wait ends when the count is 0; in the background only",
    rows: ["G1", "P6"]
  ) { story in
    let completed = Cell(0)
    let group = DispatchGroup()
    let someArray = Array(1...20)
    for _ in someArray {
      group.enter()
      Document002.doSomeExpensiveWorkAsynchronously {
        completed.withValue { $0 += 1 }
        group.leave()
      }
    }
    group.wait()
    story.check(completed.value, is: 20, "after the wait every completion has run")

    // Both ways in, both ways out: enter with async(group:), wait with notify.
    let told = DispatchSemaphore(value: 0)
    group.enter()
    Document002.doSomeExpensiveWorkAsynchronously {
      completed.withValue { $0 += 1 }
      group.leave()
    }
    DispatchQueue.global().async(group: group) { completed.withValue { $0 += 1 } }
    group.notify(queue: .main) { told.signal() }
    group.wait()
    told.wait()
    story.check(completed.value, is: 22, "enter and async(group:), wait and notify mix")

    // The fault, with a limit to the wait: leave is called on main, and main
    // waits for it. However long the limit, it is always reached.
    let onMain = DispatchQueue.main.sync {
      group.enter()
      Document002.doSomeExpensiveWorkAsynchronously(completionQueue: .main) { group.leave() }
      return group.wait(timeout: .now() + .milliseconds(50))
    }
    story.check(onMain == .timedOut, "the fault: main waits in vain for a leave on main")
    story.check(
      group.wait(timeout: .distantFuture) == .success, "the repair: in the background it ends")
  }
}
