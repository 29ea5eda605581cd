import SignalboxDispatch

extension Listing {
  static let number000_02 = Listing(
    "000-02", heading: "Delaying work with after",
    shows: "a prompt one second later, decided by a count read before the delay",
    outcome: "the prompt appears after a second, even if a photo has come by then; repaired",
    truth:
      "you can cancel after: an item that is cancelled in time never runs and is freed at "
      + "once",
    rows: ["Q8", "Q3", "G6", "W1"]
  ) { story in
    let empty = Document000.CollectionScreen()
    let stale = Document000.CollectionScreen()
    let repaired = Document000.CollectionScreen()
    let start = DispatchTime.now()
    DispatchQueue.main.sync {
      empty.showOrHideNavPrompt()
      stale.showOrHideNavPrompt()
      repaired.showOrHideNavPromptByFreshCount()
      // Within the second, a photo comes.
      stale.photos.value.append(Photo(name: "astronaut"))
      repaired.photos.value.append(Photo(name: "astronaut"))
    }
    for screen in [empty, stale, repaired] { screen.decided.wait() }
    let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds

    let request = "prompt: Add photos with faces to Googlyify them!"
    story.check(elapsed >= 1_000_000_000, "nothing was decided before the second was over")
    story.check(empty.view.history.lines, is: [request], "without photos the prompt appears")
    story.check(
      stale.view.history.lines, is: [request],
      "the fault: the prompt appears although a photo has come within the second")
    story.check(
      repaired.view.history.lines, is: ["no prompt"],
      "the repair: with the count read when the second is over it does not")

    let wasRun = Cell(false)
    var captured: Captured? = Captured()
    weak let witness = captured
    let item = DispatchWorkItem { [captured] in
      _ = captured
      wasRun.value = true
    }
    captured = nil
    DispatchQueue.main.asyncAfter(deadline: .now() + 3_600, execute: item)
    story.check(witness != nil, "a pending item keeps what it captured")
    item.cancel()
    story.check(witness == nil, "cancelling it an hour early frees that at once")
    story.check(wasRun.value, is: false, "the cancelled item has not run")
  }
}

private final class Captured: Sendable {}

extension Document000 {
  final class CollectionScreen: Sendable {
    let view = View()
    let photos = Cell<[Photo]>([])
    let decided = DispatchSemaphore(value: 0)

    /// As the document has it: the count is as old as the delay.
    func showOrHideNavPrompt() {
      let count = photos.value.count
      DispatchQueue.main.asyncAfter(deadline: .now() + 1.0) {
        self.view.prompt = count == 0 ? "Add photos with faces to Googlyify them!" : nil
        self.decided.signal()
      }
    }

    func showOrHideNavPromptByFreshCount() {
      DispatchQueue.main.asyncAfter(deadline: .now() + 1.0) {
        let count = self.photos.value.count
        self.view.prompt = count == 0 ? "Add photos with faces to Googlyify them!" : nil
        self.decided.signal()
      }
    }
  }
}
