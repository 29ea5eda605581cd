extension Listing {
  static let number003_04 = Listing(
    "003-04", heading: "Running loop iterations concurrently",
    shows: "a plain loop from 0 to 9",
    outcome: "every index once, in order, on one thread",
    rows: ["Q10"]
  ) { story in
    var printed: [Int] = []
    var threads: Set<UInt> = []
    let count = 10
    for i in 0..<count {
      printed.append(i)
      threads.insert(Place.thread)
    }
    story.tell(printed.map(String.init).joined(separator: " "))
    story.check(printed, is: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "0 to 9 in order")
    story.check(threads.count, is: 1, "on one thread")
  }
}
