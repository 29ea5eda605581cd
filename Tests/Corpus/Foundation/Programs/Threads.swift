// Threads — started by a block, detached, by hand, and their properties.

import Foundation

enum Threads {
  static func run() {
    multithreaded()
    let main = Thread.mainThread
    print(main === Thread.current, main.isMainThread, Thread.isMainThread)
    print(main.isExecuting, main.isFinished, main.isCancelled)
    let lines = Lines()
    let worker = Thread {
      let current = Thread.current
      lines.add("executing: \(current.isExecuting), cancelled: \(current.isCancelled)")
      while !current.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
      lines.add("cancelled, and \(current.isMainThread)")
    }
    print(worker.isExecuting, worker.isFinished, worker.isCancelled)
    Thread().main()
    worker.start()
    sleep { worker.isExecuting && lines.count == 1 }
    worker.cancel()
    sleep { worker.isFinished }
    print(worker.isFinished, worker.isExecuting, worker.isCancelled)
    lines.show()
    blocks(lines)
    attributes()
    ends(lines)
    stacks()
  }

  static func multithreaded() {
    print("before the first thread:", Thread.isMultiThreaded())
    let thread = Thread {}
    thread.start()
    sleep { thread.isFinished }
    print("after it:", Thread.isMultiThreaded())
  }

  static func blocks(_ lines: Lines) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      lines.add("block: \(Thread.isMainThread), \(Thread.current.isMainThread)")
      done.signal()
    }
    thread.start()
    done.wait()
    Thread.detachNewThread {
      lines.add("detached: \(Thread.current.isExecuting)")
      done.signal()
    }
    done.wait()
    lines.show()
    sleep { thread.isFinished }
    print("finished:", thread.isFinished)
    Thread.sleep(until: Date(timeIntervalSinceNow: 0.001))
    Thread.sleep(until: .distantPast)
  }

  static func attributes() {
    let thread = Thread()
    thread.stackSize = 1 << 20
    thread.qualityOfService = .utility
    print(thread.qualityOfService == .utility)
    Thread.current.name = "corpus.main"
    print(Thread.current.name ?? "no name")
    print(thread.stackSize == 1 << 20)
    for size in [1_000_000, 1024, 0, 1 << 40] {
      thread.stackSize = size
      print("stack:", thread.stackSize)
    }
    thread.threadDictionary["key"] = "value"
    thread.threadDictionary["count"] = 3
    print(thread.threadDictionary["key"] as? String ?? "nothing", thread.threadDictionary.count)
    let dictionary: NSMutableDictionary = Thread.current.threadDictionary
    dictionary["depth"] = 1
    print(Thread.current.threadDictionary["depth"] as? Int ?? 0)
    dictionary.removeObject(forKey: "depth")
    print(Thread.current.threadDictionary.count)
  }

  static func ends(_ lines: Lines) {
    let thread = Thread {
      lines.add("before the exit")
      Thread.exit()
      lines.add("after the exit")
    }
    thread.start()
    sleep { thread.isFinished }
    lines.show()
    print("ended:", thread.isFinished)
  }

  static func stacks() {
    let symbols: [String] = Thread.callStackSymbols
    let addresses: [NSNumber] = Thread.callStackReturnAddresses
    print(!symbols.isEmpty, addresses.allSatisfy { $0.uintValue > 0 }, !addresses.isEmpty)
    for name in [
      NSNotification.Name.NSThreadWillExit, .NSWillBecomeMultiThreaded,
      .NSDidBecomeSingleThreaded,
    ] {
      print(name.rawValue)
    }
  }
}
