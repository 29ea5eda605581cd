// Workers — has the pool's threads made before a recording begins, which is not to be about that.

import SignalboxDispatch

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
  }
}
