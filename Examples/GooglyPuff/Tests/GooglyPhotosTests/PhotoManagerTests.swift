import GooglyPhotos
import SignalboxDispatch
import Synchronization
import Testing

/// Waits for an event; false if it does not come.
func arrives(_ event: DispatchSemaphore) -> Bool {
  event.wait(timeout: .now() + .seconds(wedgeLimitSeconds)) == .success
}

@Suite struct PhotoManagerTests {
  private let queue = DispatchQueue(label: "test.notices")

  private func photo(_ name: String) -> FilePhoto {
    FilePhoto(path: FilePath(name))
  }

  @Test func noticeComesAfterPhotosHoldsTheNewPhoto() {
    let manager = PhotoManager(noticeQueue: queue)
    let count = 400
    let noticed = DispatchSemaphore(value: 0)
    let seen = Mutex<[Int]>([])
    manager.observeAddedContent {
      let photos = manager.photos.count
      seen.withLock { $0.append(photos) }
      noticed.signal()
    }
    DispatchQueue.concurrentPerform(iterations: count) { manager.addPhoto(photo("\($0).png")) }
    for _ in 0..<count { #expect(arrives(noticed)) }
    let counts = seen.withLock { $0 }
    #expect(counts.count == count)
    for (index, seen) in counts.enumerated() { #expect(seen > index) }
    #expect(manager.photos.count == count)
  }

  @Test func noticesComeOnTheNoticeQueue() {
    let manager = PhotoManager(noticeQueue: queue)
    let noticed = DispatchSemaphore(value: 0)
    manager.observeAddedContent { [queue] in
      // Ends the test program where it is not so.
      dispatchPrecondition(condition: .onQueue(queue))
      noticed.signal()
    }
    manager.addPhoto(photo("a.png"))
    #expect(arrives(noticed))
  }

  @Test func photosGivesACopyThatLaterPhotosDoNotChange() {
    let manager = PhotoManager(noticeQueue: queue)
    manager.addPhoto(photo("a.png"))
    let copy = manager.photos
    #expect(copy.map(\.name) == ["a.png"])
    manager.addPhoto(photo("b.png"))
    #expect(manager.photos.map(\.name) == ["a.png", "b.png"])
    #expect(copy.map(\.name) == ["a.png"])
  }

  @Test func everyReadAmongWritesSeesThePhotosAddedSoFar() {
    let manager = PhotoManager(noticeQueue: queue)
    let reads = Mutex<[[ObjectIdentifier]]>([])
    DispatchQueue.concurrentPerform(iterations: 800) { index in
      if index.isMultiple(of: 4) {
        manager.addPhoto(photo("\(index).png"))
      } else {
        let photos = manager.photos.map { ObjectIdentifier($0) }
        reads.withLock { $0.append(photos) }
      }
    }
    let all = manager.photos.map { ObjectIdentifier($0) }
    #expect(all.count == 200)
    let seen = reads.withLock { $0 }
    #expect(seen.count == 600)
    for read in seen { #expect(read == Array(all.prefix(read.count))) }
  }

  @Test func everyoneGetsTheSameSharedManager() {
    let managers = Mutex<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let manager = ObjectIdentifier(PhotoManager.shared)
      managers.withLock { _ = $0.insert(manager) }
    }
    #expect(managers.withLock { $0.count } == 1)
  }
}

@Suite struct LeInternetTests {
  private let queue = DispatchQueue(label: "test.notices")

  @Test func completionComesAfterTheLastDownload() throws {
    let folder = try TemporaryFolder()
    let photo = try bytes(of: SamplePhotos.rocket)
    let asked = DispatchSemaphore(value: 0)
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try WebServer { path in
      if path == "/slow.jpg" {
        asked.signal()
        mayAnswer.wait()
      }
      return path == "/missing.jpg" ? .status(404) : .file(photo)
    }
    defer { server.stop() }

    let manager = PhotoManager(noticeQueue: queue)
    let progressed = DispatchSemaphore(value: 0)
    let completed = DispatchSemaphore(value: 0)
    let events = Mutex<[String]>([])
    let addresses = ["/slow.jpg", "/quick.jpg", "/missing.jpg"].map { server.address($0) }
    manager.downloadPhotos(
      from: addresses, into: FilePath(folder.path),
      limits: DownloadLimits(silenceSeconds: wedgeLimitSeconds, bytes: 1_000_000),
      progress: { photo in
        events.withLock { $0.append(photo.stem) }
        progressed.signal()
      },
      completion: { photos in
        let downloading = photos.count { $0.status == .downloading }
        events.withLock { $0.append("completed, \(downloading) downloading") }
        completed.signal()
      })
    #expect(arrives(asked))
    #expect(arrives(progressed))
    #expect(arrives(progressed))
    // The slow one is held: everything that may be said has been said.
    queue.sync {}
    #expect(events.withLock { Set($0) } == ["quick", "missing"])
    #expect(manager.photos.map(\.name) == addresses)
    #expect(manager.photos[0].status == .downloading)
    mayAnswer.signal()
    #expect(arrives(completed))
    #expect(events.withLock { $0.suffix(2) } == ["slow", "completed, 0 downloading"])
    #expect(events.withLock { $0.count } == 4)
    #expect(manager.photos[0].status == .ready)
    #expect(manager.photos[1].status == .ready)
    #expect(
      manager.photos[2].status == .failed(.transfer("the server answers with status 404")))
    // Downloads lie in files without names.
    #expect(try folder.contents() == [])
    let picture = try manager.photos[0].image()
    #expect(picture.width == 640 && picture.height == 427)
    #expect(manager.photos[0].thumbnail?.width == 640)
  }

  @Test func completionOfNoDownloadsComesToo() {
    let completed = DispatchSemaphore(value: 0)
    PhotoManager(noticeQueue: queue).downloadPhotos(
      from: [], into: FilePath("/tmp"), progress: { _ in }, completion: { _ in completed.signal() })
    #expect(arrives(completed))
  }

  @Test func serverThatSendsUsToAFileIsRefused() throws {
    let folder = try TemporaryFolder()
    let server = try WebServer { _ in .redirect(to: "file://\(SamplePhotos.rocket)") }
    defer { server.stop() }
    let photo = DownloadPhoto(address: server.address("/a.jpg"))
    #expect(downloads(photo, into: folder, limits: .standard))
    guard case .failed(.transfer(let reason)) = photo.status else {
      Issue.record("downloaded")
      return
    }
    #expect(reason.contains("file"))
  }

  @Test func downloadLongerThanTheLimitIsRefused() throws {
    let folder = try TemporaryFolder()
    let photo = DownloadPhoto(address: "file://\(SamplePhotos.astronaut)")
    let limits = DownloadLimits(silenceSeconds: 15, bytes: 100_000)
    #expect(downloads(photo, into: folder, limits: limits))
    #expect(photo.status == .failed(.transfer("longer than 0 MB")))
  }

  /// Downloads `photo`; whether it came to an end.
  private func downloads(
    _ photo: DownloadPhoto, into folder: TemporaryFolder, limits: DownloadLimits
  ) -> Bool {
    let ended = DispatchSemaphore(value: 0)
    photo.download(by: Downloader(), into: FilePath(folder.path), limits: limits) {
      ended.signal()
    }
    return arrives(ended)
  }
}
