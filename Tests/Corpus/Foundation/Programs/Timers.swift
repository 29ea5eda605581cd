// Timers — made in each way, fired by hand and by the loop, changed, and invalidated.

import Foundation

enum Timers {
  static func run() {
    scheduled()
    unscheduled()
    changed()
    subclassed()
  }

  static func scheduled() {
    let lines = Lines()
    let once = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: false) { timer in
      lines.add("once, valid: \(timer.isValid)")
    }
    print(once.isValid, once.timeInterval, once.userInfo ?? "no info")
    runLoop { !once.isValid }
    print(once.isValid, lines.count)
    lines.show()
    var count = 0
    let again = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: true) { timer in
      lines.add("again")
      if lines.count == 3 { timer.invalidate() }
    }
    print(again.timeInterval)
    runLoop { !again.isValid }
    count += lines.count
    lines.show()
    print(count, again.isValid)
  }

  static func unscheduled() {
    let lines = Lines()
    let date = Date(timeIntervalSinceNow: 0.003)
    let timer = Timer(fire: date, interval: 0.002, repeats: true) { timer in
      lines.add("in time: \(timer.fireDate > date)")
      if lines.count == 2 { timer.invalidate() }
    }
    print(timer.isValid, abs(timer.fireDate.timeIntervalSince(date)) < 0.01)
    RunLoop.main.add(timer, forMode: .common)
    runLoop { !timer.isValid }
    print(lines.count)
    let byHand = Timer(timeInterval: 1000, repeats: false) { _ in lines.add("by hand") }
    byHand.fire()
    print(lines.count, byHand.isValid)
    byHand.fire()
    print(lines.count)
    let repeated = Timer(timeInterval: 1000, repeats: true) { _ in lines.add("by hand, again") }
    repeated.fire()
    repeated.fire()
    print(lines.count, repeated.isValid)
    repeated.invalidate()
    repeated.fire()
    print(lines.count, repeated.isValid)
  }

  static func changed() {
    let lines = Lines()
    let timer = Timer(timeInterval: 1000, repeats: false) { _ in lines.add("moved") }
    timer.tolerance = 0.001
    print("tolerance:", timer.tolerance)
    RunLoop.current.add(timer, forMode: .default)
    timer.fireDate = Date(timeIntervalSinceNow: 0.002)
    runLoop { !timer.isValid }
    lines.show()
    let never = Timer.scheduledTimer(withTimeInterval: 0.002, repeats: false) { _ in
      lines.add("never")
    }
    never.fireDate = .distantFuture
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01))
    print(never.isValid, lines.count)
    never.invalidate()
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005))
    print(never.isValid, lines.count)
  }

  final class Ticker: Timer {
    override func fire() {
      print("the ticker fires")
      super.fire()
    }

    override func invalidate() {
      print("the ticker ends")
      super.invalidate()
    }
  }

  static func subclassed() {
    let ticker = Ticker(fire: .distantFuture, interval: 1, repeats: true) { _ in print("tick") }
    ticker.fire()
    ticker.invalidate()
    print(ticker.isValid)
  }
}
