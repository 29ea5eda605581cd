import SignalboxDispatch

extension Listing {
  static let number001_05 = Listing(
    "001-05", heading: "The readers and writers problem",
    shows: "a photo is appended to an unguarded array, then a notice goes out on main",
    outcome: "not safe while another thread uses the array",
    rows: ["P5", "W1"]
  ) { story in
    // The order of events: both threads have read the array before either has
    // written it. What the second writes knows nothing of the first.
    let manager = Document001.UnguardedManager()
    let firstHasRead = DispatchSemaphore(value: 0)
    let secondHasWritten = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      manager.addPhoto(Photo(name: "first")) {
        firstHasRead.signal()
        secondHasWritten.wait()
      }
    }
    DispatchQueue.global().async(group: group) {
      firstHasRead.wait()
      manager.addPhoto(Photo(name: "second"))
      secondHasWritten.signal()
    }
    group.wait()
    DispatchQueue.main.sync {}
    story.check(
      manager.storage.value.map(\.name), is: ["first"], "the fault: the second photo is gone")
    story.check(manager.notices.value, is: 2, "although main was told of both")

    let serial = DispatchQueue(label: "org.signalbox.listings.001-05")
    let repaired = Document001.UnguardedManager()
    DispatchQueue.concurrentPerform(iterations: 100) { index in
      serial.async { repaired.addPhoto(Photo(name: "\(index)")) }
    }
    serial.sync {}
    story.check(
      repaired.storage.value.count, is: 100,
      "the repair: reached through a queue alone, the same code loses nothing")
  }
}

extension Document001 {
  final class UnguardedManager: Sendable {
    /// The document's `_photos`.
    let storage = Cell<[Photo]>([])
    let notices = Cell(0)

    /// `interruption` is what happens between the read and the write that an
    /// append consists of.
    func addPhoto(_ photo: Photo, interruption: () -> Void = {}) {
      let photos = storage.value
      interruption()
      storage.value = photos + [photo]
      DispatchQueue.main.async { self.postContentAddedNotification() }
    }

    private func postContentAddedNotification() {
      dispatchPrecondition(condition: .onQueue(.main))
      notices.withValue { $0 += 1 }
    }

    /// The getter of 001-06.
    var photos: [Photo] { storage.value }
  }
}
