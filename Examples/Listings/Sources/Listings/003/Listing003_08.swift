import SignalboxDispatch

extension Listing {
  static let number003_08 = Listing(
    "003-08", heading: "Using groups",
    shows: "the two downloads in a group, both pictures used in one notify block on main",
    outcome: "the block runs when both are there; the downloads overlap",
    truth: "nothing needs to be retained or released, and the outer item is not needed",
    rows: ["P7", "G1", "Q3", "Q16"]
  ) { story in
    let server = Document003.PictureServer()
    let imageView1 = View()
    let imageView2 = View()
    let places = Transcript()
    let shown = DispatchSemaphore(value: 0)
    let queue = DispatchQueue.global()
    let group = DispatchGroup()
    let image1 = Cell<Picture?>(nil)
    let image2 = Cell<Picture?>(nil)
    queue.async(group: group) {
      autoreleasepool { image1.value = server.picture(at: Document003.firstAddress) }
    }
    queue.async(group: group) {
      autoreleasepool { image2.value = server.picture(at: Document003.secondAddress) }
    }
    group.notify(queue: .main) {
      places.append("both on \(Place.name)")
      if let first = image1.value, let second = image2.value {
        imageView1.show(first)
        imageView2.show(second)
      }
      shown.signal()
    }
    // Both requests come before either is answered.
    server.awaitRequests(2)
    story.check(server.pendingCount, is: 2, "both downloads are under way at once")
    DispatchQueue.main.sync {}
    story.check(places.lines, is: [], "nothing is shown before they are there")
    server.answer()
    shown.wait()
    story.check(places.lines, is: ["both on the main thread"], "one block on main uses both")
    let pictures = DispatchQueue.main.sync { [imageView1.picture, imageView2.picture] }
    story.check(pictures, is: [.portrait, .meadow], "both pictures are shown")

    // The printed retain and release of the group. It is let go here while its work is pending.
    let mayEnd = DispatchSemaphore(value: 0)
    var letGo: DispatchGroup? = DispatchGroup()
    queue.async(group: letGo!) {
      mayEnd.wait()
      places.append("the work is done")
    }
    letGo!.notify(queue: .main) {
      places.append("the group's notice on \(Place.name)")
      shown.signal()
    }
    letGo = nil
    mayEnd.signal()
    shown.wait()
    story.check(
      Array(places.lines.dropFirst()),
      is: ["the work is done", "the group's notice on the main thread"],
      "a group that nobody keeps is there until its work is done and told")
  }
}
