// Workers — has the pool's threads made before a recording begins, which is not to be about that.

import SignalboxDispatch
import SignalboxTrace

enum Workers {
  /// More than any scene has at work.
  private static let count = 6

  static func make() {
    let group = DispatchGroup()
    let allRun = Gate()
    let arrivals = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) {
        arrivals.signal()
        allRun.wait()
      }
    }
    for _ in 0..<count { arrivals.wait() }
    allRun.open()
    group.wait()
    // Each has left the group within its item. The recording is to begin when the items have ended:
    // of an end without its beginning nothing can be told.
    Work.compute { SignalboxReport.now.pools.allSatisfy { $0.running == 0 && $0.pending == 0 } }
  }
}
