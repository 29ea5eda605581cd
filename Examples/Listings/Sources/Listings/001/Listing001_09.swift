import SignalboxDispatch

extension Listing {
  static let number001_09 = Listing(
    "001-09", heading: "The readers and writers problem",
    shows: "the copy is taken by sync on the same queue",
    outcome: "reading is safe; sync onto the current queue would deadlock",
    truth: "that deadlock does not hang: it ends the process with a report",
    rows: ["Q6", "Q2", "Q15", "P5", "W1"],
    fault: {
      let manager = Document001.PhotoManager()
      manager.concurrentPhotoQueue.async(flags: .barrier) { _ = manager.photos }
      DispatchSemaphore(value: 0).wait()
    }
  ) { story in
    let manager = Document001.PhotoManager()
    manager.addPhoto(Photo(name: "astronaut"))
    story.check(
      manager.photos, is: [Photo(name: "astronaut")], "a read after a write sees all of it")

    // Reads do not wait for one another: two of them meet.
    let meeting = Rendezvous(of: 2)
    let counts = Cell<[Int]>([])
    runSideBySide(2) { _ in
      let count = manager.concurrentPhotoQueue.sync {
        meeting.arrive()
        return manager.storage.count
      }
      counts.withValue { $0.append(count) }
    }
    story.check(counts.value, is: [1, 1], "two readers read at once")

    let report = try story.runFault()
    story.check(report.wasTrapped, "the fault: photos within a barrier of its queue is trapped")
    story.check(
      report.message.contains("com.raywenderlich.GooglyPuff.photoQueue"),
      "the report names the queue")

    // The repair: within the barrier the array itself is at hand.
    let count = manager.concurrentPhotoQueue.sync(flags: .barrier) { manager.storage.count }
    story.check(count, is: 1, "the repair: an item of the queue reads the array itself")
  }
}

extension Document001.PhotoManager {
  var photos: [Photo] {
    var photosCopy: [Photo]!
    concurrentPhotoQueue.sync {
      photosCopy = self.storage
    }
    return photosCopy
  }
}
