import SignalboxDispatch

extension Listing {
  static let number001_06 = Listing(
    "001-06", heading: "The readers and writers problem",
    shows: "the array is returned as a value, unguarded",
    outcome: "the caller's copy is its own, but reading during a write is not safe",
    rows: ["P5", "W1"]
  ) { story in
    let manager = Document001.UnguardedManager()
    manager.addPhoto(Photo(name: "astronaut"))
    var copy = manager.photos
    copy.append(Photo(name: "the caller's own"))
    story.check(manager.photos.count, is: 1, "adding to the copy leaves the manager's array alone")

    // A write of two photos that belong together, and a reader between them.
    let inTheMiddle = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let pair = [Photo(name: "left"), Photo(name: "right")]
    DispatchQueue.global().async(group: group) {
      manager.addPhoto(pair[0])
      inTheMiddle.signal()
      hasRead.wait()
      manager.addPhoto(pair[1])
    }
    inTheMiddle.wait()
    let torn = manager.photos
    hasRead.signal()
    group.wait()
    story.check(
      torn.contains(pair[0]) && !torn.contains(pair[1]), "the fault: a reader sees half a write")

    // The reader asks in the middle of the write, as before.
    let queue = DispatchQueue(label: "org.signalbox.listings.001-06", attributes: .concurrent)
    let guarded = Document001.UnguardedManager()
    let readerAsks = DispatchSemaphore(value: 0)
    queue.async(flags: .barrier) {
      guarded.addPhoto(pair[0])
      inTheMiddle.signal()
      readerAsks.wait()
      guarded.addPhoto(pair[1])
    }
    inTheMiddle.wait()
    let seen = Cell<[Photo]>([])
    let reading = DispatchGroup()
    queue.async(group: reading) { seen.value = guarded.photos }
    // However long this waits, the reader does not come.
    let waits = reading.wait(timeout: .now() + .milliseconds(50)) == .timedOut
    readerAsks.signal()
    reading.wait()
    story.check(waits, "the repair: through the queue, a reader waits for the end of the write")
    story.check(seen.value, is: pair, "and sees both")
  }
}
