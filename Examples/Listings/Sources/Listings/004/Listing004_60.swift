import SignalboxLocks

extension Listing {
  static let number004_60 = Listing(
    "004-60", heading: "Compare and swap",
    shows: "10 to 20 expecting 10, and expecting 11",
    outcome: "20 and true; 10 and false",
    truth:
      "a thread that gets false tries again: so any computation can be one step, not only "
      + "those that have a function",
    rows: ["A1", "A3"]
  ) { story in
    var num: Int64 = 10
    var result = OSAtomicCompareAndSwap64(10, 20, &num)
    story.check(num, is: 20, "expecting 10, it becomes 20")
    story.check(result, "and the result is true")
    num = 10
    result = OSAtomicCompareAndSwap64(11, 20, &num)
    story.check(num, is: 10, "expecting 11, it stays 10")
    story.check(!result, "and the result is false")

    let won = Cell(0)
    let contested = Document004.SharedNumber(10)
    let start = Rendezvous(of: 2)
    runSideBySide(2) { index in
      start.arrive()
      if OSAtomicCompareAndSwap64Barrier(10, 20 + Int64(index), contested.address) {
        won.withValue { $0 += 1 }
      }
    }
    story.check(won.value, is: 1, "of two threads that expect 10, one gets true")

    let product = Document004.SharedNumber(1)
    runSideBySide(2) { _ in
      for _ in 0..<20 { Document004.double(product) }
    }
    story.check(product.value, is: 1 << 40, "doubled twenty times by each of two threads")
  }
}

extension Document004 {
  /// Doubles the number in one step.
  static func double(_ number: SharedNumber) {
    var old = number.value
    while !OSAtomicCompareAndSwap64(old, 2 * old, number.address) { old = number.value }
  }
}
