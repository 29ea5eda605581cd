import SignalboxDispatch

extension Listing {
  static let number003_05 = Listing(
    "003-05", heading: "Running loop iterations concurrently",
    shows: "the loop as concurrentPerform (dispatch_apply) of 10",
    outcome: "every index once, in any order; returns when all are done",
    truth: "no queue is named: it uses that of the caller's class; a global one is never released",
    rows: ["Q10", "Q4"]
  ) { story in
    let count = 10
    let printed = Cell<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: count) { i in
      printed.withValue { $0.append(i) }
    }
    let done = printed.value
    story.tell(done.map(String.init).joined(separator: " "))
    story.check(done.count, is: 10, "when it returned, all ten were done")
    story.check(Set(done), is: Set(0..<10), "every index came once")

    // How many threads take part is the library's choice.
    let threads = Cell<Set<UInt>>([])
    let visits = Cell(Array(repeating: 0, count: 10_000))
    DispatchQueue.concurrentPerform(iterations: 10_000) { i in
      let thread = Place.thread
      threads.withValue { _ = $0.insert(thread) }
      visits.withValue { $0[i] += 1 }
    }
    story.tell("ten thousand iterations on \(threads.value.count) threads")
    story.check(visits.value.allSatisfy { $0 == 1 }, "every index of ten thousand came once")

    let pairs = Cell<Set<Int>>([])
    DispatchQueue.concurrentPerform(iterations: 10) { i in
      DispatchQueue.concurrentPerform(iterations: 10) { j in
        pairs.withValue { _ = $0.insert(10 * i + j) }
      }
    }
    story.check(pairs.value.count, is: 100, "one loop within another: every pair once")
  }
}
