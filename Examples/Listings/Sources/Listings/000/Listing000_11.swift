import SignalboxDispatch

extension Listing {
  static let number000_11 = Listing(
    "000-11", heading: "The readers and writers problem",
    shows: "the append as an asynchronous barrier, the notice from within it to main",
    outcome: "the write runs alone; the notice comes on main after it; no photo, no work",
    rows: ["Q7", "Q3", "P5", "W1"]
  ) { story in
    let notices = Cell<[String]>([])
    let manager = Document000.PhotoManager { manager in
      let photos = manager.concurrentPhotoQueue.sync { manager.photosArray }
      let line = "\(Place.name): \(photos.map(\.name))"
      notices.withValue { $0.append(line) }
    }

    // Two readers are running when the photo is added, two come after it. The
    // first two end only when they have seen that the write has not begun.
    let transcript = Transcript()
    let bothRun = Rendezvous(of: 3)
    let mayEnd = DispatchGroup()
    mayEnd.enter()
    for _ in 0..<2 {
      manager.concurrentPhotoQueue.async {
        bothRun.arrive()
        mayEnd.wait()
        transcript.append("early reader saw \(manager.photosArray.count)")
      }
    }
    bothRun.arrive()
    manager.addPhoto(Photo(name: "astronaut"))
    transcript.append("addPhoto returned")
    let lateReaders = DispatchGroup()
    for _ in 0..<2 {
      manager.concurrentPhotoQueue.async(group: lateReaders) {
        transcript.append("late reader saw \(manager.photosArray.count)")
      }
    }
    mayEnd.leave()
    lateReaders.wait()
    story.tell(transcript)
    story.check(
      transcript.lines,
      is: [
        "addPhoto returned", "early reader saw 0", "early reader saw 0", "late reader saw 1",
        "late reader saw 1",
      ], "the write waits for the items before it, and the items after it for the write")

    DispatchQueue.main.sync {}
    story.check(
      notices.value, is: [#"the main thread: ["astronaut"]"#],
      "the notice comes on main and finds the photo there")

    manager.addPhoto(nil)
    manager.concurrentPhotoQueue.sync(flags: .barrier) {}
    DispatchQueue.main.sync {}
    story.check(notices.value.count, is: 1, "without a photo there is no work and no notice")
  }
}

extension Document000.PhotoManager {
  func addPhoto(_ photo: Photo?) {
    if let photo {
      concurrentPhotoQueue.async(flags: .barrier) {
        self.photosArray.append(photo)
        DispatchQueue.main.async {
          self.postContentAddedNotification()
        }
      }
    }
  }

  private func postContentAddedNotification() { contentAdded(self) }
}
