import SignalboxDispatch

extension Listing {
  static let number000_01 = Listing(
    "000-01", heading: "Handling background tasks with async",
    shows: "faces are found in the background, the new picture is shown from main",
    outcome: "the view appears at once, the eyes follow; a huge picture does not hang main",
    rows: ["P1", "Q3", "Q4", "Q6", "W1"]
  ) { story in
    let screen = Document000.DetailScreen(image: Picture.portrait.enlarged(1_000))
    DispatchQueue.main.sync { screen.viewDidLoad() }
    // The detection is held until main has answered: were it run on main, the
    // touch could not be served and the listing would be stuck here.
    DispatchQueue.main.sync { screen.view.touch() }
    screen.detection.signal()
    screen.finished.wait()

    story.tell(screen.view.history)
    story.check(
      screen.view.history.lines, is: ["picture shown", "touch answered", "eyes shown"],
      "the view appears, main answers during the detection, the eyes follow")
    story.check(screen.facesFound.value, is: 1_000, "every face of the huge picture has its eyes")
    story.check(screen.detectedOnMain.value, is: false, "the detection did not run on main")
  }
}

extension Document000 {
  final class DetailScreen: Sendable {
    let view = View()
    let image: Picture
    let detection = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    let facesFound = Cell(0)
    let detectedOnMain = Cell(true)

    init(image: Picture) { self.image = image }

    func viewDidLoad() {
      view.show(image)
      // DISPATCH_QUEUE_PRIORITY_HIGH of old.
      DispatchQueue.global(priority: .high).async {
        let overlayImage = self.faceOverlayImage(from: self.image)
        DispatchQueue.main.async {
          self.fadeIn(overlayImage)
        }
      }
    }

    private func faceOverlayImage(from image: Picture) -> Picture {
      detection.wait()
      detectedOnMain.value = Place.isMainThread
      return image.withGooglyEyes()
    }

    private func fadeIn(_ image: Picture) {
      view.show(image)
      facesFound.value = image.googlyFaces
      finished.signal()
    }
  }
}
