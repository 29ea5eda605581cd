// SingletonOnce — two threads ask for a singleton that the language makes once.

import Glibc
import SignalboxDispatch

// block: BuildingGooglyPuff/once
final class PhotoManager: Sendable {
  static let shared = PhotoManager()

  private init() {
    usleep(100_000)
    print("a manager was made")
    usleep(100_000)
  }
}
// end

@main
struct SingletonOnce {
  static func main() {
    let launch = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global(qos: .userInitiated).async(group: launch) { _ = PhotoManager.shared }
    }
    launch.wait()
  }
}
