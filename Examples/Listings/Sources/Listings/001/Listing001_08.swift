import SignalboxDispatch

extension Listing {
  static let number001_08 = Listing(
    "001-08", heading: "The readers and writers problem",
    shows: "the append as an asynchronous barrier, the notice from within it to main",
    outcome: "the write is the only item running; the notice comes on main",
    rows: ["Q7", "Q3", "P5", "W1"]
  ) { story in
    let running = Cell(0)
    let neighbours = Cell(0)
    let notices = Cell<[Int]>([])
    let places = Cell<Set<String>>([])
    let manager = Document001.PhotoManager { manager in
      let count = manager.concurrentPhotoQueue.sync { manager.storage.count }
      let place = Place.name
      notices.withValue { $0.append(count) }
      places.withValue { _ = $0.insert(place) }
    }
    // Readers count themselves in and out; a write counts whom it meets.
    for index in 0..<200 {
      if index % 10 == 0 {
        manager.concurrentPhotoQueue.async(flags: .barrier) {
          neighbours.withValue { $0 += running.value }
        }
        manager.addPhoto(Photo(name: "\(index)"))
      } else {
        manager.concurrentPhotoQueue.async {
          running.withValue { $0 += 1 }
          _ = manager.storage.count
          running.withValue { $0 -= 1 }
        }
      }
    }
    manager.concurrentPhotoQueue.sync(flags: .barrier) {}
    DispatchQueue.main.sync {}
    story.check(neighbours.value, is: 0, "no reader was running beside a barrier")
    story.check(notices.value.count, is: 20, "twenty photos, twenty notices")
    story.check(
      zip(notices.value, 1...).allSatisfy { $0 >= $1 }, "each finds its photo already added")
    story.check(places.value, is: ["the main thread"], "all on the main thread")
  }
}

extension Document001.PhotoManager {
  func addPhoto(_ photo: Photo) {
    concurrentPhotoQueue.async(flags: .barrier) {
      self.storage.append(photo)
      globalMainQueue.async {
        self.postContentAddedNotification()
      }
    }
  }

  private func postContentAddedNotification() { contentAdded(self) }
}
