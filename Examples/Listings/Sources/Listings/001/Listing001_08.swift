import SignalboxDispatch

extension Listing {
  static let number001_08 = Listing(
    "001-08", heading: "The readers and writers problem",
    shows: "the append as an asynchronous barrier, the notice from within it to main",
    outcome: "the write is the only item running; the notice comes on main",
    rows: ["Q7", "Q3", "P5", "W1"]
  ) { story in
    // One write, held: what runs beside it is seen from within the write itself.
    let order = Transcript()
    let writeRuns = DispatchSemaphore(value: 0)
    let lateIsSubmitted = DispatchSemaphore(value: 0)
    let lateRuns = DispatchSemaphore(value: 0)
    let readers = Document002.Census()
    let held = Document001.PhotoManager(
      willAppend: {
        order.append("the write begins")
        writeRuns.signal()
        lateIsSubmitted.wait()
        // If the write shared the queue, the reader would run now. However long this waits, it
        // does not.
        let meets = lateRuns.wait(timeout: .now() + .milliseconds(50)) == .success
        order.append("the write met \(meets ? "a" : "no") reader")
      },
      contentAdded: { manager in order.append("the notice comes on \(Place.name)") })
    let bothRead = Rendezvous(of: 3)
    let mayEnd = DispatchGroup()
    mayEnd.enter()
    for _ in 0..<2 {
      held.concurrentPhotoQueue.async {
        readers.enter()
        bothRead.arrive()
        mayEnd.wait()
        order.append("a reader before it saw \(held.storage.count)")
        readers.leave()
      }
    }
    bothRead.arrive()
    held.addPhoto(Photo(name: "astronaut"))
    order.append("addPhoto has returned")
    mayEnd.leave()
    writeRuns.wait()
    held.concurrentPhotoQueue.async {
      lateRuns.signal()
      order.append("a reader after it saw \(held.storage.count)")
    }
    lateIsSubmitted.signal()
    held.concurrentPhotoQueue.sync(flags: .barrier) {}
    DispatchQueue.main.sync {}
    story.tell(order)
    story.check(readers.most, is: 2, "the readers before it ran side by side")
    story.check(
      order.lines.filter { !$0.hasPrefix("the notice") },
      is: [
        "addPhoto has returned", "a reader before it saw 0", "a reader before it saw 0",
        "the write begins", "the write met no reader", "a reader after it saw 1",
      ], "the write is asynchronous, and the only item that runs")
    story.check(
      order.lines.filter { $0.hasPrefix("the notice") },
      is: ["the notice comes on the main thread"], "one notice, on the main thread")

    // Many of both. Readers count themselves in and out; each write counts whom it meets.
    let running = Cell(0)
    let neighbours = Cell(0)
    let notices = Cell<[Int]>([])
    let places = Cell<Set<String>>([])
    let manager = Document001.PhotoManager(
      willAppend: { neighbours.withValue { $0 += running.value } },
      contentAdded: { manager in
        let count = manager.concurrentPhotoQueue.sync { manager.storage.count }
        let place = Place.name
        notices.withValue { $0.append(count) }
        places.withValue { _ = $0.insert(place) }
      })
    for index in 0..<200 {
      if index % 10 == 0 {
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
    story.check(neighbours.value, is: 0, "no reader was running beside any of twenty writes")
    story.check(notices.value.count, is: 20, "twenty photos, twenty notices")
    story.check(
      zip(notices.value, 1...).allSatisfy { $0 >= $1 }, "each finds its photo already added")
    story.check(places.value, is: ["the main thread"], "all on the main thread")
  }
}

extension Document001.PhotoManager {
  func addPhoto(_ photo: Photo) {
    concurrentPhotoQueue.async(flags: .barrier) {
      self.willAppend()
      self.storage.append(photo)
      globalMainQueue.async {
        self.postContentAddedNotification()
      }
    }
  }

  private func postContentAddedNotification() { contentAdded(self) }
}
