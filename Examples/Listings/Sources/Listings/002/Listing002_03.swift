import SignalboxDispatch

extension Listing {
  static let number002_03 = Listing(
    "002-03", heading: "Flattening a completion block",
    shows: "a semaphore of 0 makes an asynchronous call synchronous",
    outcome: "after the wait the work is finished; never wait on main for what needs main",
    truth: "the signal may come from the same thread, if it comes before the wait",
    rows: ["P6", "G2"]
  ) { story in
    let order = Transcript()
    let semaphore = DispatchSemaphore(value: 0)
    Document002.doSomeExpensiveWorkAsynchronously {
      order.append("the work is finished")
      semaphore.signal()
    }
    semaphore.wait()
    order.append("after the wait")
    story.check(
      order.lines, is: ["the work is finished", "after the wait"],
      "after the wait the expensive work is finished")

    let early = DispatchSemaphore(value: 0)
    early.signal()
    story.check(
      early.wait(timeout: .now()) == .success, "a signal that came before is found by the wait")

    // The fault, with a limit to the wait: the completion needs main, and main
    // waits. However long the limit, it is always reached.
    let completed = DispatchSemaphore(value: 0)
    let onMain = DispatchQueue.main.sync {
      Document002.doSomeExpensiveWorkAsynchronously(completionQueue: .main) { completed.signal() }
      return completed.wait(timeout: .now() + .milliseconds(50))
    }
    story.check(onMain == .timedOut, "the fault: main waits in vain for a completion on main")
    story.check(
      completed.wait(timeout: .distantFuture) == .success, "once main is free, it comes")

    Document002.doSomeExpensiveWorkAsynchronously(completionQueue: .main) { completed.signal() }
    story.check(
      completed.wait(timeout: .distantFuture) == .success, "the repair: off main the wait ends")
  }
}

extension Document002 {
  static func doSomeExpensiveWorkAsynchronously(
    completionQueue: DispatchQueue = .global(), completionBlock: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().async {
      _ = doSomeExpensiveWork()
      completionQueue.async(execute: completionBlock)
    }
  }
}
