// ThreadNames — a name given before the start, a long one, and one read from another thread.

import Foundation

enum ThreadNames {
  static func run() {
    let lines = Lines()
    let thread = Thread {
      lines.add(Thread.current.name ?? "no name")
      while !Thread.current.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
    }
    thread.name = "corpus, with a name of some length"
    thread.start()
    sleep { lines.count == 1 }
    print(lines.joined())
    print(thread.name ?? "no name")
    thread.cancel()
  }
}
