import SignalboxDispatch

extension Listing {
  static let number000_12 = Listing(
    "000-12", heading: "The readers and writers problem",
    shows: "the copy is taken by sync on the same queue and returned",
    outcome: "reading is safe; sync onto the current queue would deadlock",
    truth: "that deadlock does not hang: it ends the process with a report",
    rows: ["Q6", "Q2", "Q15", "P5", "W1"],
    fault: {
      let manager = Document000.PhotoManager()
      manager.concurrentPhotoQueue.sync(flags: .barrier) { _ = manager.photos }
    }
  ) { story in
    let manager = Document000.PhotoManager()
    let isOrdered = Cell(true)
    DispatchQueue.concurrentPerform(iterations: 400) { index in
      if index % 4 == 0 {
        manager.addPhoto(Photo(name: "photo"))
      } else {
        // A reader that reads twice never sees the array shrink.
        let first = manager.photos.count
        let second = manager.photos.count
        if second < first { isOrdered.value = false }
      }
    }
    story.check(manager.photos.count, is: 100, "among 300 readers no write is lost")
    story.check(isOrdered.value, "no reader saw a photo vanish")

    var copy = manager.photos
    copy.removeAll()
    story.check(manager.photos.count, is: 100, "the array given out is the caller's own")

    let report = try story.runFault()
    story.check(report.wasTrapped, "the fault: photos within a barrier of its queue is trapped")
    story.check(
      report.message.contains("com.selander.GooglyPuff.photoQueue"), "the report names the queue")

    // The repair: a read that does not wait may be asked for anywhere.
    let order = Transcript()
    let hasRead = DispatchSemaphore(value: 0)
    manager.concurrentPhotoQueue.sync(flags: .barrier) {
      manager.readPhotos { photos in
        order.append("\(photos.count) photos read")
        hasRead.signal()
      }
      order.append("the barrier item ends")
    }
    hasRead.wait()
    story.check(
      order.lines, is: ["the barrier item ends", "100 photos read"],
      "the repair: asked for within a barrier, a read with a completion comes after it")
  }
}

extension Document000.PhotoManager {
  var photos: [Photo] {
    concurrentPhotoQueue.sync { photosArray }
  }

  /// `photos` for those who must not wait, the queue's own items among them.
  func readPhotos(completion: @escaping @Sendable ([Photo]) -> Void) {
    concurrentPhotoQueue.async { completion(self.photosArray) }
  }
}
