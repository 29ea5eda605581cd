import SignalboxDispatch

extension Listing {
  static let number003_07 = Listing(
    "003-07", heading: "Using groups",
    shows: "two pictures are downloaded one after the other, both shown from main",
    outcome: "works, but runs in sequence without need",
    rows: ["P7", "P1"]
  ) { story in
    let server = Document003.PictureServer()
    let imageView1 = View()
    let imageView2 = View()
    let shown = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      let image1 = server.picture(at: Document003.firstAddress)
      let image2 = server.picture(at: Document003.secondAddress)
      DispatchQueue.main.async {
        imageView1.show(image1)
        imageView2.show(image2)
        shown.signal()
      }
    }
    // The server sees one request at a time: the second comes after its answer.
    var seen: [Int] = []
    for _ in 0..<2 {
      server.awaitRequests(1)
      seen.append(server.pendingCount)
      server.answer()
    }
    shown.wait()
    story.check(seen, is: [1, 1], "the fault: the second download waits for the first")
    let pictures = DispatchQueue.main.sync { [imageView1.picture, imageView2.picture] }
    story.check(pictures, is: [.portrait, .meadow], "both pictures are shown")
  }
}
