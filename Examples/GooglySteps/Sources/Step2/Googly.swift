// Googly — the program: someone opens a photo, scrolls the list, and presses "Le Internet".

import Glibc
import SignalboxDispatch

@main
struct Googly {
  static func main() {
    let prompt = Prompt()
    // block: BuildingGooglyPuff/prompted
    DispatchQueue.main.async {
      detail(of: Photo(name: "ada", status: .ready)) { picture in
        print(picture)
        prompt.reload { text in
          print(text ?? "no prompt")
          leInternet()
        }
      }
    }
    // end
    DispatchQueue.main.async { print("the list scrolls") }
    dispatchMain()
  }
}

/// Downloads three photos. The program ends after three notices and the alert.
func leInternet() {
  let manager = PhotoManager.shared
  let all = DispatchGroup()
  for _ in 0..<4 { all.enter() }
  manager.observe {
    print("a photo has come")
    all.leave()
  }
  manager.download(["ada", "grace", "alan"]) {
    print("Download Complete: \(manager.photos.count) photos")
    all.leave()
  }
  all.notify(queue: .main) { exit(EXIT_SUCCESS) }
}
