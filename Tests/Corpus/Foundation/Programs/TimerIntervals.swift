// TimerIntervals — a timer that the program adds itself waits for its interval.

import Foundation

enum TimerIntervals {
  static func run() {
    let fired = Lines()
    let lines = Lines()
    let timer = Timer(timeInterval: 1000, repeats: false) { _ in fired.add("fired") }
    RunLoop.current.add(timer, forMode: .default)
    // However late the loop begins, this one is due after one that does not wait.
    let other = Timer(fire: Date(timeIntervalSinceNow: 0.05), interval: 0, repeats: false) { _ in
      lines.add("waited: \(fired.count == 0)")
    }
    RunLoop.current.add(other, forMode: .default)
    runLoop { !other.isValid }
    timer.invalidate()
    lines.show()
  }
}
