import SignalboxDispatch

extension Listing {
  static let number002_01 = Listing(
    "002-01", heading: "Running in the background",
    shows: "expensive work on the default global queue, its result used on main",
    outcome:
      "async returns before the work runs; the inner call may be sync, the outer one may "
      + "not",
    rows: ["P1", "Q3", "Q4", "Q6"]
  ) { story in
    let order = Transcript()
    let hasReturned = DispatchSemaphore(value: 0)
    let used = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      let backgroundQueue = DispatchQueue.global(qos: .default)
      backgroundQueue.async {
        hasReturned.wait()
        let result = Document002.doSomeExpensiveWork()
        DispatchQueue.main.async {
          order.append("\(result) used on \(Place.name)")
          used.signal()
        }
      }
      order.append("async has returned")
      hasReturned.signal()
    }
    used.wait()
    story.check(
      order.lines, is: ["async has returned", "42 used on the main thread"],
      "async returns before the work, the result comes to main")

    // The inner call as sync: the background waits for main, and that is fine.
    let inner = Transcript()
    DispatchQueue.main.sync {
      DispatchQueue.global(qos: .default).async {
        let result = Document002.doSomeExpensiveWork()
        DispatchQueue.main.sync { inner.append("\(result) used") }
        inner.append("the background goes on")
        used.signal()
      }
    }
    used.wait()
    story.check(
      inner.lines, is: ["42 used", "the background goes on"], "inner sync waits for main")

    // The outer call as sync: main itself is kept busy with the work.
    let outer = Transcript()
    DispatchQueue.main.sync {
      DispatchQueue.main.async { outer.append("touch answered") }
      DispatchQueue.global(qos: .default).sync {
        outer.append("expensive work on \(Place.name)")
        _ = Document002.doSomeExpensiveWork()
      }
    }
    DispatchQueue.main.sync {}
    story.check(
      outer.lines, is: ["expensive work on the main thread", "touch answered"],
      "the fault: with outer sync a touch waits until the work is over")
  }
}

extension Document002 {
  static func doSomeExpensiveWork() -> Int { (0..<1_000).count { $0 % 24 == 1 } }
}
