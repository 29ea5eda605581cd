import SignalboxDispatch

extension Listing {
  static let number000_10 = Listing(
    "000-10", heading: "The readers and writers problem",
    shows: "a property for the array's own concurrent queue",
    outcome: "items on the manager's queue run side by side, apart from any other queue",
    rows: ["Q5", "P5", "W1"]
  ) { story in
    let manager = Document000.PhotoManager()
    let queue = manager.concurrentPhotoQueue
    let other = Document000.PhotoManager().concurrentPhotoQueue
    story.check(queue !== other, "each manager has its own queue")
    // A barrier closes its own queue only.
    let otherIsClosed = DispatchSemaphore(value: 0)
    let otherMayOpen = DispatchSemaphore(value: 0)
    let order = Transcript()
    other.async(flags: .barrier) {
      otherIsClosed.signal()
      otherMayOpen.wait()
      order.append("the other manager's barrier ends")
    }
    otherIsClosed.wait()
    queue.sync { order.append("an item of this manager runs") }
    otherMayOpen.signal()
    other.sync(flags: .barrier) {}
    story.check(
      order.lines, is: ["an item of this manager runs", "the other manager's barrier ends"],
      "while a barrier closes one manager's queue, the other's goes on")

    // One after the other they would never meet.
    let meeting = Rendezvous(of: 2)
    let threads = Cell<Set<UInt>>([])
    let group = DispatchGroup()
    for _ in 0..<2 {
      queue.async(group: group) {
        meeting.arrive()
        threads.withValue { _ = $0.insert(Place.thread) }
      }
    }
    group.wait()
    story.check(threads.value.count, is: 2, "two items were running at once")
  }
}

extension Document000 {
  /// SAFETY: `photosArray` is written in barrier items of the queue and read in
  /// items of the queue, nowhere else (000-11, 000-12).
  final class PhotoManager: @unchecked Sendable {
    var photosArray: [Photo] = []
    let concurrentPhotoQueue: DispatchQueue
    /// What is told about each content-added notice.
    let contentAdded: @Sendable (PhotoManager) -> Void

    init(
      queue: DispatchQueue = DispatchQueue(
        label: "com.selander.GooglyPuff.photoQueue", attributes: .concurrent),
      contentAdded: @escaping @Sendable (PhotoManager) -> Void = { _ in }
    ) {
      concurrentPhotoQueue = queue
      self.contentAdded = contentAdded
    }
  }
}
