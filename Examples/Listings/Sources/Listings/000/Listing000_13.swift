import SignalboxDispatch

extension Listing {
  static let number000_13 = Listing(
    "000-13", heading: "The readers and writers problem",
    shows: "once also makes the concurrent queue, labelled in reverse-DNS style",
    outcome: "the manager is safe from any thread",
    rows: ["Q5", "Q9", "P5", "W1"]
  ) { story in
    let queues = Cell<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      let manager = Document000.sharedManager()
      manager.addPhoto(Photo(name: "\(index)"))
      queues.withValue { _ = $0.insert(ObjectIdentifier(manager.concurrentPhotoQueue)) }
    }
    let manager = Document000.sharedManager()
    story.check(queues.value.count, is: 1, "one manager, one queue, whoever asks")
    story.check(
      manager.concurrentPhotoQueue.label, is: "com.selander.GooglyPuff.photoQueue",
      "the queue carries its label")
    story.check(
      Set(manager.photos.map(\.name)), is: Set((0..<200).map(String.init)),
      "every photo added from any thread is there")
  }
}

extension Document000 {
  private static let onceToken = DispatchOnce()
  private static let sharedPhotoManager = Cell<PhotoManager?>(nil)

  static func sharedManager() -> PhotoManager {
    onceToken.perform {
      sharedPhotoManager.value = PhotoManager(
        queue: DispatchQueue(
          label: "com.selander.GooglyPuff.photoQueue", attributes: .concurrent))
    }
    return sharedPhotoManager.value!
  }
}
