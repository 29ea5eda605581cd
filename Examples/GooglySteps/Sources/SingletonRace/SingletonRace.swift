// SingletonRace — two threads ask for a singleton that nobody guards.

import Glibc
import SignalboxDispatch

// block: BuildingGooglyPuff/race
// SAFETY: none. This is the fault.
final class PhotoManager: @unchecked Sendable {
  nonisolated(unsafe) private static var made: PhotoManager?

  static var shared: PhotoManager {
    if made == nil {
      usleep(100_000)  // as if the thread was interrupted here
      made = PhotoManager()
      print("a manager was made")
      usleep(100_000)
    }
    return made!
  }
}
// end

@main
struct SingletonRace {
  static func main() {
    // block: BuildingGooglyPuff/race-program
    let launch = DispatchGroup()
    for _ in 0..<2 {
      DispatchQueue.global(qos: .userInitiated).async(group: launch) { _ = PhotoManager.shared }
    }
    launch.wait()
    // end
  }
}
