import SignalboxDispatch

extension Listing {
  static let number001_01 = Listing(
    "001-01", heading: "Background tasks with async",
    shows: "faces are found on the user-initiated global queue, the picture is shown from main",
    outcome: "the view appears, the eyes follow; a huge picture does not freeze main",
    rows: ["P1", "Q3", "Q4", "Q6", "W1"]
  ) { story in
    let screen = Document001.DetailScreen(image: Picture.portrait.enlarged(1_000)) { screen in
      // Today the class is named; the document passes its number.
      DispatchQueue.global(qos: .userInitiated).async {
        let overlayImage = screen.faceOverlayImage(from: screen.image)
        DispatchQueue.main.async {
          screen.fadeIn(overlayImage)
        }
      }
    }
    Document001.checkDetail(of: screen, story)
  }
}

extension Document001 {
  /// The detail view; 001-01 and 001-03 spell its background work differently.
  final class DetailScreen: Sendable {
    let view = View()
    let image: Picture
    let detection = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    let placeOfDetection = Cell("")
    let placeOfFading = Cell("")
    private let addEyes: @Sendable (DetailScreen) -> Void

    init(image: Picture, addEyes: @escaping @Sendable (DetailScreen) -> Void) {
      self.image = image
      self.addEyes = addEyes
    }

    func viewDidLoad() {
      view.show(image)
      addEyes(self)
    }

    func faceOverlayImage(from image: Picture) -> Picture {
      detection.wait()
      placeOfDetection.value = Place.name
      return image.withGooglyEyes()
    }

    func fadeIn(_ image: Picture) {
      placeOfFading.value = Place.name
      view.show(image)
      finished.signal()
    }
  }

  static func checkDetail(of screen: DetailScreen, _ story: borrowing Story) {
    DispatchQueue.main.sync { screen.viewDidLoad() }
    // Main must answer before the detection may go on.
    DispatchQueue.main.sync { screen.view.touch() }
    screen.detection.signal()
    screen.finished.wait()
    story.tell(screen.view.history)
    story.check(
      screen.view.history.lines, is: ["picture shown", "touch answered", "eyes shown"],
      "the view appears, main answers during the detection, the eyes follow")
    story.check(screen.placeOfDetection.value, is: "another thread", "faces are found off main")
    story.check(screen.placeOfFading.value, is: "the main thread", "the eyes are shown on main")
  }
}
