import SignalboxLocks

extension Listing {
  static let number004_59 = Listing(
    "004-59", heading: "Atomic decrement",
    shows: "decrement 10 twice",
    outcome: "8",
    truth: "the returned value shows which thread came last; a later read does not",
    rows: ["A1", "A3"]
  ) { story in
    var num: Int64 = 10
    story.check(OSAtomicDecrement64(&num), is: 9, "the new value is returned")
    OSAtomicDecrement64Barrier(&num)
    story.check(num, is: 8, "10 decremented twice")
    var small: Int32 = 10
    OSAtomicDecrement32(&small)
    OSAtomicDecrement32Barrier(&small)
    story.check(small, is: 8, "the same with 32 bits")

    // A count of users, the last of whom is to clean up.
    var cleanersByReading = 0
    var cleanersByResult = 0
    for _ in 0..<100 {
      let (byReading, byResult) = Document004.countDown()
      cleanersByReading += byReading
      cleanersByResult += byResult
    }
    story.check(
      cleanersByReading, is: 200, "the fault: who reads the count afterwards finds 0, as both do")
    story.check(cleanersByResult, is: 100, "the repair: the result 0 goes to one of the two")
  }
}

extension Document004 {
  /// Two users of one thing leave it. How many of them take themselves for the last one.
  static func countDown() -> (byReading: Int, byResult: Int) {
    let users = SharedNumber(2)
    let byReading = Cell(0)
    let byResult = Cell(0)
    let bothHaveLeft = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      // With the barrier the last one sees what the other did to the thing.
      if OSAtomicDecrement64Barrier(users.address) == 0 { byResult.withValue { $0 += 1 } }
      bothHaveLeft.arrive()
      if users.value == 0 { byReading.withValue { $0 += 1 } }
    }
    return (byReading.value, byResult.value)
  }
}
