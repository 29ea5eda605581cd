import SignalboxDispatch

extension Listing {
  static let number000_08 = Listing(
    "000-08", heading: "The readers and writers problem",
    shows: "a photo is appended to an unguarded array, then a notice goes out on main",
    outcome: "not safe while another thread uses the array",
    rows: ["P5", "W1"]
  ) { story in
    let alone = Document000.UnguardedManager(writers: 1)
    alone.addPhoto(Photo(name: "astronaut"))
    alone.addPhoto(nil)
    DispatchQueue.main.sync {}
    story.check(
      alone.notices.value, is: ["main: 1"], "one photo, one notice on main; no photo, none")

    let manager = Document000.UnguardedManager(writers: 2)
    runSideBySide(2) { index in
      manager.addPhoto(Photo(name: "\(index)"))
    }
    DispatchQueue.main.sync {}
    story.check(
      manager.photosArray.value.count, is: 1, "the fault: of two photos added, one is lost")
    story.check(manager.notices.value.count, is: 2, "although both were announced")

    let isolation = DispatchQueue(label: "org.signalbox.listings.000-08", attributes: .concurrent)
    let repaired = Cell<[Photo]>([])
    DispatchQueue.concurrentPerform(iterations: 100) { index in
      isolation.async(flags: .barrier) {
        let photos = repaired.value
        repaired.value = photos + [Photo(name: "\(index)")]
      }
    }
    let count = isolation.sync { repaired.value.count }
    story.check(count, is: 100, "the repair: as barriers on a queue, no write is lost")
  }
}

extension Document000 {
  final class UnguardedManager: Sendable {
    let photosArray = Cell<[Photo]>([])
    let notices = Cell<[String]>([])
    private let meeting: Rendezvous

    init(writers: Int) { meeting = Rendezvous(of: writers) }

    func addPhoto(_ photo: Photo?) {
      if let photo {
        // To append is to read, to add and to write. The writers meet in between.
        let photos = photosArray.value
        meeting.arrive()
        photosArray.value = photos + [photo]
        DispatchQueue.main.async {
          self.postContentAddedNotification()
        }
      }
    }

    private func postContentAddedNotification() {
      let place = Place.isMainThread ? "main" : "elsewhere"
      notices.value.append("\(place): \(photosArray.value.count)")
    }
  }
}
