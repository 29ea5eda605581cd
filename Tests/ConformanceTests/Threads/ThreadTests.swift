// ThreadTests — Thread, as Apple's documentation describes it.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("Thread", .guarded) struct ThreadTests {
  // MARK: Running

  @Test func aBlockRunsOnItsOwnThread() throws {
    let found = EventLog<Int>()
    let done = Gate()
    Thread {
      found.append(kernelThreadNumber())
      done.open()
    }.start()
    try done.wait()
    #expect(found.all.count == 1)
    #expect(found.all.first != kernelThreadNumber())
  }

  @Test func detachNewThreadStartsAtOnce() throws {
    let done = Gate()
    Thread.detachNewThread { done.open() }
    try done.wait()
    #expect(Thread.isMultiThreaded())
  }

  private final class Counting: Thread {
    let ran: EventCounter
    init(_ ran: EventCounter) {
      self.ran = ran
      super.init()
    }
    override func main() {
      if Thread.current === self { ran.increment() }
    }
  }

  @Test func aSubclassRunsItsMain() throws {
    let ran = EventCounter()
    Counting(ran).start()
    try ran.wait(for: 1)
  }

  @Test func stateGoesFromFreshToExecutingToFinished() throws {
    let isInside = Gate(), mayEnd = Gate()
    let thread = JoinableThread {
      isInside.open()
      mayEnd.pass()
    }
    func state() -> [Bool] { [thread.isExecuting, thread.isFinished, thread.thread.isCancelled] }
    #expect(state() == [false, false, false])
    thread.start()
    try isInside.wait()
    #expect(state() == [true, false, false])
    thread.cancel()
    #expect(state() == [true, false, true])
    mayEnd.open()
    thread.join()
    #expect(state() == [false, true, true])
  }

  @Test func aThreadThatWasCancelledBeforeItsStartDoesNotRun() throws {
    let ran = EventCounter()
    let thread = Thread { ran.increment() }
    thread.cancel()
    thread.start()
    #expect(thread.isFinished)
    #expect(thread.isCancelled)
    let after = JoinableThread {}
    after.start()
    after.join()
    #expect(ran.value == 0)
  }

  @Test func aThreadEndsItselfWhenItSeesThatItIsCancelled() {
    let isInside = Gate("inside the thread")
    let thread = JoinableThread {
      isInside.open()
      while !Thread.current.isCancelled { sched_yield() }
      return "ended by itself"
    }
    thread.start()
    isInside.pass()
    thread.cancel()
    #expect(thread.join() == "ended by itself")
  }

  // MARK: Which thread

  @Test func currentIsTheThreadItself() {
    let thread = JoinableThread { ObjectIdentifier(Thread.current) }
    thread.start()
    #expect(thread.join() == ObjectIdentifier(thread.thread))
  }

  @Test func currentStaysTheSameOnAnyThread() throws {
    try runThreads(4) { _ in
      let first = Thread.current
      #expect(first === Thread.current)
      #expect(first.isExecuting)
      #expect(!first.isFinished)
      #expect(first == Thread.current)
      #expect(Set([first, Thread.current]).count == 1)
    }
  }

  @Test func mainIsNotAnotherThread() throws {
    try runThreads(2) { _ in
      #expect(!Thread.isMainThread)
      #expect(!Thread.current.isMainThread)
      #expect(Thread.current !== Thread.main)
      #expect(Thread.main === Thread.mainThread)
      #expect(Thread.main.isMainThread)
    }
  }

  // MARK: Sleep

  @Test func sleepLastsAsLongAsRequested() {
    let before = Uptime.now()
    Thread.sleep(forTimeInterval: 0.02)
    #expect(Uptime.now().since(before) >= .milliseconds(20))
    let start = Date()
    Thread.sleep(until: start + 0.02)
    #expect(Date() >= start + 0.02)
  }

  @Test(arguments: [0, -1, -Double.infinity, -Double.nan, Double.nan, 1e-12])
  func sleepOfZeroReturnsAtOnce(_ interval: Double) {
    Thread.sleep(forTimeInterval: interval)
    Thread.sleep(until: .distantPast)
    Thread.sleep(until: Date(timeIntervalSince1970: 0))
  }

  /// More items than processors sleep until all of them have begun.
  @Test func aWorkerThatSleepsIsReplaced() throws {
    let count = 8 * processorCount
    let begun = EventCounter()
    let group = DispatchGroup()
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) {
        begun.increment()
        while begun.value < count { Thread.sleep(forTimeInterval: 0.0005) }
      }
    }
    try begun.wait(for: count)
    group.wait()
  }

  /// More items than processors join a thread that ends when all of them have begun.
  @Test func aWorkerThatJoinsIsReplaced() throws {
    let count = 8 * processorCount
    let begun = EventCounter()
    let group = DispatchGroup()
    for number in 0..<count {
      DispatchQueue.global().async(group: group) {
        let thread = JoinableThread { begun.pass(count) }
        thread.name = "\(number)"
        thread.start()
        begun.increment()
        thread.join()
      }
    }
    try begun.wait(for: count)
    group.wait()
  }

  // MARK: Dictionary

  @Test func eachThreadHasItsOwnDictionary() throws {
    Thread.current.threadDictionary["conformance"] = "the test's"
    defer { Thread.current.threadDictionary["conformance"] = nil }
    try runThreads(3) { index in
      #expect(Thread.current.threadDictionary["conformance"] == nil)
      Thread.current.threadDictionary["conformance"] = index
      Thread.current.threadDictionary.setObject("other", forKey: 7)
      #expect(Thread.current.threadDictionary["conformance"] as? Int == index)
      #expect(Thread.current.threadDictionary.object(forKey: 7) as? String == "other")
      #expect(Thread.current.threadDictionary.count == 2)
      Thread.current.threadDictionary.removeObject(forKey: 7)
      #expect(Thread.current.threadDictionary.allKeys.count == 1)
    }
    #expect(Thread.current.threadDictionary["conformance"] as? String == "the test's")
  }

  @Test func theDictionaryIsFilledBeforeTheStart() {
    let thread = JoinableThread { Thread.current.threadDictionary["input"] as? Int }
    thread.thread.threadDictionary["input"] = 42
    thread.start()
    #expect(thread.join() == 42)
  }

  @Test func theDictionarysValuesAreReleasedWhenTheThreadEnds() throws {
    let tracker = LeakTracker()
    // One thread ends by return; another was made by other means.
    let thread = JoinableThread {
      Thread.current.threadDictionary["object"] = tracker.makeObject()
    }
    thread.start()
    thread.join()
    #expect(tracker.alive == 0)
    try runThreads(1) { _ in Thread.current.threadDictionary["object"] = tracker.makeObject() }
    #expect(tracker.made == 2)
    #expect(tracker.alive == 0)
  }

  // MARK: Call stack

  @inline(never)
  private static func nameToBeFound() -> [String] { Thread.callStackSymbols }

  @Test func theCallStackNamesFunctionsAsInSource() throws {
    let symbols = Self.nameToBeFound()
    let line = try #require(symbols.first { $0.contains("nameToBeFound") }, "\(symbols)")
    #expect(line.contains("ThreadTests.nameToBeFound() -> "), "\(line)")
    #expect(line.contains("0x"))
    #expect(symbols.count >= 3)
    #expect(symbols.first == line, "\(symbols.prefix(3))")
    let addresses = Thread.callStackReturnAddresses
    #expect(addresses.count >= 3)
    #expect(addresses.allSatisfy { $0 != 0 })
  }

  // MARK: Priority and class

  @Test func attributesReadBack() {
    let thread = Thread {}
    #expect(thread.threadPriority == 0.5)
    #expect(thread.qualityOfService == .default)
    thread.threadPriority = 0
    #expect(thread.threadPriority == 0)
    for quality in [QualityOfService.userInteractive, .userInitiated, .utility, .background] {
      thread.qualityOfService = quality
      #expect(thread.qualityOfService == quality)
    }
    #expect(thread.threadPriority == 0)
    thread.qualityOfService = .default
    #expect(thread.threadPriority == 0.5)
  }

  @Test func rawValuesOfTheClassesAreApples() {
    let values = [
      QualityOfService.userInteractive, .userInitiated, .utility, .background, .default,
    ]
    #expect(values.map(\.rawValue) == [0x21, 0x19, 0x11, 0x09, -1])
  }
}
