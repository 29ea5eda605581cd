import SignalboxDispatch

extension Listing {
  static let number000_09 = Listing(
    "000-09", heading: "The readers and writers problem",
    shows: "the photos are returned as a copy of the unguarded array",
    outcome: "the caller cannot change the array, but reading during a write is not safe",
    rows: ["P5", "W1"]
  ) { story in
    let array = Document000.MutableArray()
    array.add(Photo(name: "astronaut"))
    var copy = array.photos
    copy.removeAll()
    story.check(array.photos.count, is: 1, "changing the copy leaves the array as it was")

    // A reader that comes in the middle of a write.
    let inTheMiddle = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      array.add(Photo(name: "rocket")) {
        inTheMiddle.signal()
        hasRead.wait()
      }
    }
    inTheMiddle.wait()
    let torn = array.photos
    hasRead.signal()
    group.wait()
    story.check(torn.count, is: 2, "the fault: a reader in the middle of a write sees two places")
    story.check(torn.last == .some(nil), "and nothing in the second of them")

    // The same with the write as a barrier and the read through the queue: the
    // reader asks in the middle of the write, waits for its end and gets all of it.
    let isolation = DispatchQueue(label: "org.signalbox.listings.000-09", attributes: .concurrent)
    let guarded = Document000.MutableArray()
    let readerAsks = DispatchSemaphore(value: 0)
    isolation.async(flags: .barrier) {
      guarded.add(Photo(name: "rocket")) {
        inTheMiddle.signal()
        readerAsks.wait()
      }
    }
    inTheMiddle.wait()
    let whole = Cell<[Photo?]>([])
    let reading = DispatchGroup()
    isolation.async(group: reading) { whole.value = guarded.photos }
    // However long this waits, the reader does not come.
    let waits = reading.wait(timeout: .now() + .milliseconds(50)) == .timedOut
    readerAsks.signal()
    reading.wait()
    story.check(waits, "the repair: a guarded reader waits for the end of the write")
    story.check(whole.value, is: [Photo(name: "rocket")], "and sees it whole")
  }
}

extension Document000 {
  /// What is inside a mutable array: places and how many of them count. Two
  /// things that a write must change, one after the other.
  final class MutableArray: Sendable {
    private let count = Cell(0)
    private let places = Cell<[Photo?]>(Array(repeating: nil, count: 8))

    func add(_ photo: Photo, interruption: () -> Void = {}) {
      let index = count.value
      count.value = index + 1
      interruption()
      places.withValue { $0[index] = photo }
    }

    var photos: [Photo?] { Array(places.value.prefix(count.value)) }
  }
}
