import SignalboxLocks

extension Listing {
  static let number004_58 = Listing(
    "004-58", heading: "Atomic increment",
    shows: "increment 10 twice",
    outcome: "12",
    truth: "the text shows what it prevents: i++ on two processors makes 2 of 1, in place of 3",
    rows: ["A1", "A3"]
  ) { story in
    var num: Int64 = 10
    story.check(OSAtomicIncrement64(&num), is: 11, "the new value is returned")
    OSAtomicIncrement64Barrier(&num)
    story.check(num, is: 12, "10 incremented twice")
    var small: Int32 = 10
    OSAtomicIncrement32(&small)
    OSAtomicIncrement32Barrier(&small)
    story.check(small, is: 12, "the same with 32 bits")

    // i++ is a read, a sum and a write. Both processors have read before either writes.
    let plain = Cell(1)
    let bothHaveRead = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      let i = plain.value
      bothHaveRead.arrive()
      plain.value = i + 1
    }
    story.check(plain.value, is: 2, "the fault: of two increments of 1 one is lost")

    let atomic = Document004.SharedNumber(1)
    let start = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      start.arrive()
      OSAtomicIncrement64(atomic.address)
    }
    story.check(atomic.value, is: 3, "the repair: as one step each, both count")
  }
}
