// Countdown — a program: a command that counts down with a timer of the main loop, beats at every
// pass of another timer, and ends itself.

import Foundation

final class CountdownTool {
  private var remaining: Int
  private var beats = 0
  private var words: [String] = []
  private var timers: [Timer] = []
  private let formatter = NumberFormatter()

  init(from count: Int) { remaining = count }

  func start() {
    let countdown = Timer(fire: Date(), interval: 0.01, repeats: true) { [self] timer in
      tick(timer)
    }
    countdown.tolerance = 0.001
    let heartbeat = Timer.scheduledTimer(withTimeInterval: 0.004, repeats: true) { [self] _ in
      beats += 1
    }
    RunLoop.main.add(countdown, forMode: .common)
    timers = [countdown, heartbeat]
  }

  private func tick(_ timer: Timer) {
    print(formatter.string(from: NSNumber(value: remaining)) ?? "?")
    remaining -= 1
    if remaining == 0 { finish() }
  }

  func hear(_ word: String) { words.append("\(word), on main: \(Thread.isMainThread)") }

  private func finish() {
    timers.forEach { $0.invalidate() }
    print("lift-off, with a beat: \(beats > 0), timers left: \(timers.filter(\.isValid).count)")
    print(words)
    timers = []
    exit(0)
  }
}

extension CountdownTool: @unchecked Sendable {}  // SAFETY: on the main thread only.

enum Countdown {
  static func run() {
    let tool = CountdownTool(from: 5)
    tool.start()
    let told = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      RunLoop.main.perform { tool.hear("from another thread") }
      told.signal()
    }
    told.wait()
    RunLoop.main.run()
  }
}
