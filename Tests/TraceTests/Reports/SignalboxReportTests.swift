// SignalboxReportTests — what a report says about the process.

import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxTrace
import Synchronization
import Testing

@Suite(.guarded) struct SignalboxReportTests {
  @Test func namesTheSemaphoreThatAThreadWaitsFor() throws {
    // No other test makes a semaphore with this value.
    let semaphore = DispatchSemaphore(value: 37)
    for _ in 0..<37 { semaphore.wait() }
    let thread = try PlainThread { semaphore.wait() }
    _ = lineWith("for a signal of a semaphore made with 37")
    for _ in 0..<38 { semaphore.signal() }
    try thread.join()
  }

  @Test func showsTheHolderOfALockAndTheLengthOfTheWait() throws {
    let lock = NSLock()
    lock.name = "report.lock"
    let holder = Guarded(0)
    let (held, over) = (Gate(), Gate())
    let one = try PlainThread {
      csb_thread_set_name("report.holder")
      holder.withValue { $0 = kernelThreadNumber() }
      try lock.withLock {
        held.open()
        try over.wait()
      }
    }
    try held.wait()
    let other = try PlainThread {
      csb_thread_set_name("report.waiter")
      lock.withLock {}
    }
    // On a busy machine the first report may come after a second.
    let line = lineWith("waits for the NSLock \"report.lock\" (for ") {
      $0.contains(" ms), held by thread") || $0.contains(" s), held by thread")
    }
    #expect(line.hasPrefix("thread "))
    #expect(line.contains(", \"report.waiter\") waits for"))
    #expect(line.hasSuffix("(kernel \(holder.current), \"report.holder\")"))
    // The holder waits too, but not in this library; the report shows its number all the same.
    let holders = lineWith("(kernel \(holder.current), \"report.holder\") sleeps")
    #expect(holders.hasPrefix("thread "))
    over.open()
    try one.join()
    try other.join()
  }

  @Test func showsWhatEachRunningThreadDoes() throws {
    let isOver = Atomic<Bool>(false)
    defer { isOver.store(true, ordering: .relaxed) }
    let numbers = Guarded<Set<Int>>([])
    var spinners: [PlainThread] = []
    // They have never used the library. The kernel may give a thread the number of an ended one,
    // by which the library knows it. Then another thread takes its place. The library remembers
    // a few thousand threads at most, so three strangers are found.
    while spinners.count < 3 {
      let isKnown = Guarded<Bool?>(nil)
      let thread = try PlainThread {
        let number = kernelThreadNumber()
        let known = csb_thread_find_number(Int32(number)) != 0
        if !known { numbers.withValue { _ = $0.insert(number) } }
        isKnown.withValue { $0 = known }
        if known { return }
        while !isOver.load(ordering: .relaxed) {}
      }
      try #require(isKnown.wait(limit: RealTime.wedge) { $0 != nil })
      if isKnown.current == true { try thread.join() } else { spinners.append(thread) }
    }
    #expect(numbers.current.count == 3)
    // Each of them runs at some time, and is ready at other times if there are fewer processors.
    for number in numbers.current {
      // On the only processor, the reporting thread sees no other thread run.
      let does = processorCount > 1 ? " runs" : " is ready, and waits for a processor"
      let line = lineWith("(kernel \(number), ", does)
      #expect(line.hasPrefix("the thread without a number"))
    }
    let main = lineWith("the main thread) ")
    #expect(main.contains(" (kernel \(getpid()), "))
    isOver.store(true, ordering: .relaxed)
    for spinner in spinners { try spinner.join() }
  }

  @Test func namesTheFunctionsOfAThreadThatWaits() throws {
    let semaphore = DispatchSemaphore(value: 41)
    for _ in 0..<41 { semaphore.wait() }
    let thread = try PlainThread { SignalboxReportTests.waits(for: semaphore) }
    let first = lineWith("for a signal of a semaphore made with 41")
    let lines = SignalboxReport.text.split(separator: "\n").map(String.init)
    let place = try #require(lines.firstIndex { $0.hasPrefix(first.prefix { $0 != "(" }) })
    let functions = lines[(place + 1)...].prefix { $0.hasPrefix("    at ") }
    #expect(functions.first?.contains("SignalboxReportTests.waits(for: ") == true, "\(lines)")
    let waiting = SignalboxReport.now.threads.first {
      $0.wait?.resource == "a semaphore made with 41"
    }
    let names = try #require(waiting?.wait).functions
    #expect(functions == names.map { "    at \($0)" }[...], "\(functions), \(names)")
    for _ in 0..<42 { semaphore.signal() }
    try thread.join()
  }

  @inline(never)
  private static func waits(for semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test func listsEveryThreadOnce() throws {
    let over = Gate()
    let numbers = Guarded<Set<String>>([])
    let threads = try (0..<5).map { _ in
      try PlainThread {
        numbers.withValue { _ = $0.insert("\(kernelThreadNumber())") }
        over.pass()
      }
    }
    #expect(numbers.wait(limit: RealTime.wedge) { $0.count == 5 })
    let lines = SignalboxReport.text.split(separator: "\n")
    let kernelIDs = lines.compactMap { line -> Substring? in
      guard line.hasPrefix("thread ") || line.hasPrefix("the thread without a number") else {
        return nil
      }
      // Reads the thread's own number, which an old thread may have lost, and not that of the
      // thread it waits for.
      let word = line.firstRange(of: "(kernel "), owner = line.firstRange(of: "held by ")
      guard let word, owner.map({ word.lowerBound < $0.lowerBound }) ?? true else { return nil }
      return line[word.upperBound...].prefix { $0.isNumber }
    }
    // One of the threads that come and go may have had another's number in the kernel.
    for number in numbers.current {
      #expect(kernelIDs.count { $0 == number } == 1, "\(number) in \(kernelIDs)")
    }
    over.open()
    for thread in threads { try thread.join() }
  }

  /// A report reads the name of a lock that a thread waits for only until that thread
  /// continues. That may be the lock's last moment.
  @Test func reportsMayBeMadeWhileLocksAreCreatedAndFreed() throws {
    let isOver = Atomic<Bool>(false)
    let reports = Guarded(0)
    let seen = Guarded(0)
    let reporter = try PlainThread {
      while !isOver.load(ordering: .relaxed) {
        if SignalboxReport.text.contains("the NSLock \"gone\"") { seen.withValue { $0 += 1 } }
        reports.withValue { $0 += 1 }
      }
    }
    // Each turn takes a report or two: on a busy machine there are fewer.
    let end = Uptime.now() + RealTime.wedge
    try runThreads(2) { index in
      for turn in 0..<40 where Uptime.now() < end {
        let lock = NSLock()
        lock.name = "gone"
        lock.lock()
        let waiter = try PlainThread { lock.withLock {} }
        // Sometimes waits until a report has read the name.
        let before = (seen: seen.current, reports: reports.current)
        if turn % 8 == 0 {
          #expect(seen.wait(limit: RealTime.wedge) { $0 > before.seen })
        } else {
          #expect(reports.wait(limit: RealTime.wedge) { $0 > before.reports + index })
        }
        lock.unlock()
        try waiter.join()
      }
    }
    isOver.store(true, ordering: .relaxed)
    try reporter.join()
  }

  /// Returns the first line of a report that contains all of the words, and for which the
  /// condition holds. It waits until there is one.
  private func lineWith(
    _ words: String..., where condition: (Substring) -> Bool = { _ in true }
  ) -> String {
    while true {
      for line in SignalboxReport.text.split(separator: "\n")
      where words.allSatisfy({ line.contains($0) }) && condition(line) {
        return String(line)
      }
      letRealTimePass(.milliseconds(1))
    }
  }
}
