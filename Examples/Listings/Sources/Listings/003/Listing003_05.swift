import SignalboxDispatch

extension Listing {
  static let number003_05 = Listing(
    "003-05", heading: "Running loop iterations concurrently",
    shows: "the loop as concurrentPerform (dispatch_apply) of 10",
    outcome: "every index once, in any order; returns when all are done",
    truth:
      "the call names no queue: it uses that of the caller's class; a global queue is never"
      + " released",
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

    // No queue is named: each iteration has the class of the item that called. Two that wait for
    // each other run on two threads, where the library has a second one for them.
    for qos in [DispatchQoS.QoSClass.userInitiated, .utility] {
      let classes = Cell<[UInt: UInt32]>([:])
      let signals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global(qos: qos).async {
        DispatchQueue.concurrentPerform(iterations: 2) { i in
          let (thread, current) = (Place.thread, qos_class_self().rawValue)
          classes.withValue { $0[thread] = current }
          signals[1 - i].signal()
          _ = signals[i].wait(timeout: .now() + .seconds(1))
        }
        isDone.signal()
      }
      isDone.wait()
      story.tell("from \(qos): \(classes.value.count) threads took part")
      story.check(
        Set(classes.value.values), is: [qos.rawValue.rawValue], "each thread has the caller's class"
      )
    }

    // The printed release. A queue of one's own goes with its last reference, a global one stays.
    var ofOnesOwn: DispatchQueue? = DispatchQueue(label: "org.signalbox.listings.003-05")
    weak let own = ofOnesOwn
    ofOnesOwn = nil
    weak let global = DispatchQueue.global()
    story.check(own == nil, "a queue that nobody keeps is gone")
    story.check(global === DispatchQueue.global(), "a global one is still there, and the same")

    let pairs = Cell<Set<Int>>([])
    DispatchQueue.concurrentPerform(iterations: 10) { i in
      DispatchQueue.concurrentPerform(iterations: 10) { j in
        pairs.withValue { _ = $0.insert(10 * i + j) }
      }
    }
    story.check(pairs.value.count, is: 100, "one loop within another: every pair once")
  }
}
