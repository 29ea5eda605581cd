// TimerIntervals — a timer that the program adds itself waits for its interval.

import Foundation

enum TimerIntervals {
  static func run() {
    let made = Date()
    let lines = Lines()
    let timer = Timer(timeInterval: 0.05, repeats: false) { _ in
      lines.add("waited: \(Date().timeIntervalSince(made) > 0.04)")
    }
    RunLoop.current.add(timer, forMode: .default)
    runLoop { !timer.isValid }
    lines.show()
  }
}
