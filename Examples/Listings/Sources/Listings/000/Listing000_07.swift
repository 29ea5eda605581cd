import SignalboxDispatch

extension Listing {
  static let number000_07 = Listing(
    "000-07", heading: "Making your singleton thread-safe",
    shows: "the final shared instance with once",
    outcome:
      "the body runs exactly once, others wait for its end; the object's data are still unguarded",
    truth: "the process reports a once that calls itself; in Swift a static constant does the same",
    rows: ["Q9", "P2", "W1"],
    fault: {
      let once = DispatchOnce()
      once.perform { once.perform {} }
    }
  ) { story in
    let creations = Cell(0)
    let early = Cell(0)
    let isComplete = Cell(false)
    let instance = Cell<Document000.PlainPhotoManager?>(nil)
    let onceToken = DispatchOnce()
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
      onceToken.perform {
        creations.withValue { $0 += 1 }
        instance.value = Document000.PlainPhotoManager()
        isComplete.value = true
      }
      if !isComplete.value { early.withValue { $0 += 1 } }
    }
    story.check(creations.value, is: 1, "of 1,000 calls one ran the body")
    story.check(early.value, is: 0, "no call returned before the body had ended")

    // Thread safe to reach is not thread safe to use: both threads read the
    // array, both write it back with their own photo added.
    let manager = instance.value!
    let bothHaveRead = Rendezvous(of: 2)
    runSideBySide(2) { index in
      let photos = manager.photosArray.value
      bothHaveRead.arrive()
      manager.photosArray.value = photos + [Photo(name: "\(index)")]
    }
    story.check(manager.photosArray.value.count, is: 1, "the fault left: a photo of two is lost")

    let report = try story.runFault()
    story.check(report.wasTrapped, "a once that calls itself ends its process")
    story.check(
      report.message.contains("BUG IN CLIENT OF SIGNALBOX"), "with a message that says why")
  }
}
