import SignalboxDispatch

extension Listing {
  static let number003_06 = Listing(
    "003-06", heading: "Running tasks on the main thread",
    shows: "a picture is downloaded in the background and shown from main",
    outcome: "main is free during the download; the picture is shown on main",
    truth: "a blocking download holds a thread; one with a completion holds none",
    rows: ["P1", "Q3", "Q4"]
  ) { story in
    let server = Document003.PictureServer()
    let imageView = View()
    let shown = DispatchSemaphore(value: 0)
    DispatchQueue.main.sync {
      DispatchQueue.global().async {
        let image = server.picture(at: Document003.firstAddress)
        DispatchQueue.main.async {
          imageView.show(image)
          shown.signal()
        }
      }
    }
    server.awaitRequests(1)
    DispatchQueue.main.sync { imageView.touch() }
    server.answer()
    shown.wait()
    story.tell(imageView.history)
    story.check(
      imageView.history.lines, is: ["touch answered", "picture shown"],
      "main answers during the download, then shows the picture")

    // The fault: the download as printed. Each of eight keeps a thread from other work.
    let threads = Cell<Set<UInt>>([])
    let blocked = DispatchGroup()
    for _ in 0..<8 {
      DispatchQueue.global().async(group: blocked) {
        threads.withValue { _ = $0.insert(Place.thread) }
        _ = server.picture(at: Document003.firstAddress)
      }
    }
    server.awaitRequests(8)
    story.check(
      threads.value.count, is: 8, "the fault: eight blocking downloads hold eight threads")
    server.answer()
    blocked.wait()

    // The repair: eight downloads under way, started from one serial queue, which
    // is idle again before the first answer.
    let queue = DispatchQueue(label: "org.signalbox.listings.003-06")
    let received = DispatchGroup()
    for _ in 0..<8 {
      received.enter()
      queue.async {
        server.requestPicture(at: Document003.firstAddress) { image in
          DispatchQueue.main.async {
            imageView.show(image)
            received.leave()
          }
        }
      }
    }
    queue.sync {}
    story.check(server.pendingCount, is: 8, "the repair: eight downloads hold no thread")
    server.answer()
    received.wait()
    story.check(imageView.history.lines.count, is: 10, "and all of them arrive")
  }
}

extension Document003 {
  static let firstAddress = "http://one.example/portrait.jpg"
  static let secondAddress = "http://two.example/meadow.jpg"

  /// Stands in for the two servers: it answers when the listing says so.
  final class PictureServer: Sendable {
    private struct Request: Sendable {
      let address: String
      let completion: @Sendable (Picture) -> Void
    }

    private let pending = Cell<[Request]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    var pendingCount: Int { pending.value.count }

    /// A download that returns at once and calls `completion` with the answer.
    func requestPicture(at address: String, completion: @escaping @Sendable (Picture) -> Void) {
      pending.withValue { $0.append(Request(address: address, completion: completion)) }
      arrivals.signal()
    }

    /// A download that blocks its thread until the answer is there.
    func picture(at address: String) -> Picture {
      let answer = Cell<Picture?>(nil)
      let answered = DispatchSemaphore(value: 0)
      requestPicture(at: address) { picture in
        answer.value = picture
        answered.signal()
      }
      answered.wait()
      return answer.value!
    }

    /// Waits until `count` more requests have come in.
    func awaitRequests(_ count: Int) {
      for _ in 0..<count { arrivals.wait() }
    }

    /// Answers every pending request.
    func answer() {
      let requests = pending.withValue { pending in
        defer { pending = [] }
        return pending
      }
      for request in requests {
        request.completion(request.address == firstAddress ? .portrait : .meadow)
      }
    }
  }
}
