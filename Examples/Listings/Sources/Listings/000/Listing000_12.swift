import Dispatch

extension Listing {
  static let number000_12 = Listing(
    "000-12", heading: "The readers and writers problem",
    shows: "the copy is taken by sync on the same queue and returned",
    outcome: "reading is safe; sync onto the queue one runs on would deadlock",
    truth: "that deadlock is not suffered: it ends the process with a report",
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

    // The repair: who is on the queue already needs no way onto it.
    let count = manager.concurrentPhotoQueue.sync(flags: .barrier) {
      manager.photosFromAnywhere.count
    }
    story.check(count, is: 100, "the repair: a manager that knows its queue can be asked there")
    story.check(manager.photosFromAnywhere.count, is: 100, "and anywhere else")
  }
}

extension Document000.PhotoManager {
  var photos: [Photo] {
    concurrentPhotoQueue.sync { photosArray }
  }

  /// `photos`, also for items of the manager's own queue.
  var photosFromAnywhere: [Photo] {
    if DispatchQueue.getSpecific(key: isOnQueue) == true { return photosArray }
    return photos
  }
}
