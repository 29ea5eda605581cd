// MainActorCode — code of the main actor in closures for the main queue.

import Dispatch
import Glibc

@MainActor final class Screen {
  var text = ""

  func refresh() {
    DispatchQueue.main.async { self.text = "refreshed" }
    DispatchQueue.main.async { [weak self] in self?.text += ", weakly" }
    DispatchQueue.global().async { [weak self] in
      DispatchQueue.main.async {
        self?.text += ", from elsewhere"
        print(self?.text ?? "gone")
        exit(0)
      }
    }
  }
}

enum MainActorCode {
  static func run() {
    DispatchQueue.main.async { @MainActor in
      let screen = Screen()
      screen.refresh()
      withExtendedLifetime(screen) {}
      kept = screen
    }
    dispatchMain()
  }

  @MainActor static var kept: Screen?
}
