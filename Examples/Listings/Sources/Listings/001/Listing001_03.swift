import SignalboxDispatch

extension Listing {
  static let number001_03 = Listing(
    "001-03", heading: "Background tasks with async",
    shows: "001-01 written with the short names",
    outcome: "the same as 001-01",
    rows: ["P1", "Q3", "Q4", "W1"]
  ) { story in
    let screen = Document001.DetailScreen(image: .portrait) { screen in
      globalUserInitiatedQueue.async {
        let overlayImage = screen.faceOverlayImage(from: screen.image)
        globalMainQueue.async {
          screen.fadeIn(overlayImage)
        }
      }
    }
    Document001.checkDetail(of: screen, story)
  }
}
