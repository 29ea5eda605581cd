import SignalboxDispatch

extension Listing {
  static let number001_07 = Listing(
    "001-07", heading: "The readers and writers problem",
    shows: "a private concurrent queue with a reverse-DNS label",
    outcome: "the label can be read back; items run side by side",
    rows: ["Q5", "P5", "W1"]
  ) { story in
    let manager = Document001.PhotoManager()
    story.check(
      manager.concurrentPhotoQueue.label, is: "com.raywenderlich.GooglyPuff.photoQueue",
      "the label is the one given")
    let meeting = Rendezvous(of: 3)
    let met = Cell(0)
    let group = DispatchGroup()
    for _ in 0..<3 {
      manager.concurrentPhotoQueue.async(group: group) {
        meeting.arrive()
        met.withValue { $0 += 1 }
      }
    }
    group.wait()
    story.check(met.value, is: 3, "three items were running at once")
  }
}

extension Document001 {
  /// SAFETY: `storage` is written in barrier items of the queue and read in
  /// items of the queue, nowhere else (001-08, 001-09).
  final class PhotoManager: @unchecked Sendable {
    /// The document's `_photos`.
    var storage: [Photo] = []
    let concurrentPhotoQueue = DispatchQueue(
      label: "com.raywenderlich.GooglyPuff.photoQueue", attributes: .concurrent)
    /// The write calls it before it appends; it runs within the write's item.
    let willAppend: @Sendable () -> Void
    /// Called for each content-added notice.
    let contentAdded: @Sendable (PhotoManager) -> Void

    init(
      willAppend: @escaping @Sendable () -> Void = {},
      contentAdded: @escaping @Sendable (PhotoManager) -> Void = { _ in }
    ) {
      self.willAppend = willAppend
      self.contentAdded = contentAdded
    }
  }
}
