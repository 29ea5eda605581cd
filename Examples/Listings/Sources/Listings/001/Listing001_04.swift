import SignalboxDispatch

extension Listing {
  static let number001_04 = Listing(
    "001-04", heading: "Delaying work with after",
    shows: "the prompt one second later on main, the count read when the second is over",
    outcome: "the prompt appears after a second, and disappears if photos exist at a reload",
    truth: "you can cancel after: the prompt of a closed screen is cancelled",
    rows: ["Q8", "Q3", "G6", "W1"]
  ) { story in
    let empty = Document001.CollectionScreen()
    let filled = Document001.CollectionScreen()
    let left = Document001.CollectionScreen()
    let start = DispatchTime.now()
    DispatchQueue.main.sync {
      empty.showOrHideNavPrompt()
      filled.showOrHideNavPrompt()
      filled.photos.value.append(Photo(name: "astronaut"))
      left.showOrHideNavPrompt().cancel()
    }
    empty.decided.wait()
    filled.decided.wait()
    let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds

    let request = "prompt: Add photos with faces to Googlyify them!"
    story.check(elapsed >= 1_000_000_000, "nothing was decided before the second was over")
    story.check(empty.view.history.lines, is: [request], "without photos the prompt appears")
    story.check(
      filled.view.history.lines, is: ["no prompt"], "a photo within the second is seen")

    // The collection is reloaded with a photo in it.
    DispatchQueue.main.sync {
      empty.photos.value.append(Photo(name: "rocket"))
      empty.showOrHideNavPrompt()
    }
    empty.decided.wait()
    story.check(
      empty.view.history.lines, is: [request, "no prompt"], "a reload with photos removes it")
    // It was due before the reload's prompt, on the same queue.
    story.check(left.view.history.lines, is: [], "the cancelled prompt never came")
  }
}

extension Document001 {
  final class CollectionScreen: Sendable {
    let view = View()
    let photos = Cell<[Photo]>([])
    let decided = DispatchSemaphore(value: 0)

    @discardableResult func showOrHideNavPrompt() -> DispatchWorkItem {
      let delayInSeconds = 1.0
      let item = DispatchWorkItem {
        let count = self.photos.value.count
        if count > 0 {
          self.view.prompt = nil
        } else {
          self.view.prompt = "Add photos with faces to Googlyify them!"
        }
        self.decided.signal()
      }
      globalMainQueue.asyncAfter(deadline: .now() + delayInSeconds, execute: item)
      return item
    }
  }
}
