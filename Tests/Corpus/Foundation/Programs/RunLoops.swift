// RunLoops — run in every way, with blocks, timers and ports, on the main thread and another.

import Foundation

enum RunLoops {
  static let own = RunLoop.Mode("corpus.mode")

  static func run() {
    print(RunLoop.current === RunLoop.main, RunLoop.current.currentMode?.rawValue ?? "no mode")
    performs()
    modes()
    deadlines()
    elsewhere()
    ports()
  }

  static func performs() {
    let lines = Lines()
    let loop = RunLoop.current
    loop.perform { lines.add("first, in \(RunLoop.current.currentMode?.rawValue ?? "no mode")") }
    loop.perform(inModes: [own]) { lines.add("in the mode of ours") }
    loop.perform(inModes: [.default, own]) { lines.add("in both modes") }
    loop.perform(inModes: [.common]) { lines.add("in the common modes") }
    loop.run(until: Date(timeIntervalSinceNow: 0.01))
    lines.show()
    let timer = Timer(timeInterval: 60, repeats: false) { _ in }
    loop.add(timer, forMode: own)
    print(loop.run(mode: own, before: Date(timeIntervalSinceNow: 0.01)))
    lines.show()
    timer.invalidate()
  }

  static func modes() {
    let loop = RunLoop.current
    let lines = Lines()
    let timer = Timer(timeInterval: 0.002, repeats: false) { timer in
      lines.add("fired in \(RunLoop.current.currentMode?.rawValue ?? "no mode"), \(timer.isValid)")
    }
    timer.fireDate = Date(timeIntervalSinceNow: 0.002)
    loop.add(timer, forMode: own)
    loop.run(until: Date(timeIntervalSinceNow: 0.01))
    print("fired in another mode:", lines.count)
    while timer.isValid { _ = loop.run(mode: own, before: Date(timeIntervalSinceNow: 60)) }
    lines.show()
    let common = Timer(timeInterval: 60, repeats: false) { _ in }
    common.fireDate = Date(timeIntervalSinceNow: 0.002)
    loop.add(common, forMode: .common)
    runLoop { !common.isValid }
    print(common.isValid)
  }

  static func deadlines() {
    let loop = RunLoop.current
    let date = Date(timeIntervalSinceNow: 1000)
    let timer = Timer(fire: date, interval: 0, repeats: false) { _ in }
    loop.add(timer, forMode: own)
    let limit = loop.limitDate(forMode: own)
    print(limit.map { abs($0.timeIntervalSince(date)) < 1 } ?? false)
    loop.acceptInput(forMode: own.rawValue, before: Date(timeIntervalSinceNow: 0.002))
    print("no input")
    timer.invalidate()
  }

  static func elsewhere() {
    let lines = Lines()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      lines.add("another: \(RunLoop.current !== RunLoop.main)")
      lines.add("runs the main one: \(RunLoop.main.run(mode: .default, before: .distantFuture))")
      RunLoop.main.run()
      RunLoop.main.run(until: .distantFuture)
      RunLoop.main.acceptInput(forMode: RunLoop.Mode.default.rawValue, before: .distantFuture)
      lines.add("its limit: \(RunLoop.main.limitDate(forMode: .default) == nil)")
      RunLoop.current.run()
      lines.add("nothing to wait for")
      lines.add("\(RunLoop.current.run(mode: .default, before: .distantFuture))")
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.001))
      let ended = lines.count + 3
      let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
        lines.add("fired, \(ended - lines.count) left")
        if lines.count == ended { timer.invalidate() }
      }
      while timer.isValid { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      done.signal()
    }
    done.wait()
    lines.show()
  }

  static func ports() {
    guard let port = SocketPort(tcpPort: 0) else { return print("no port") }
    let loop = RunLoop.current
    loop.add(port, forMode: own)
    print(loop.run(mode: own, before: Date(timeIntervalSinceNow: 0.002)))
    loop.remove(port, forMode: own)
    print(loop.run(mode: own, before: .distantFuture))
    port.invalidate()
  }
}
