// TestingQueuesTests — the code of "Testing code that uses queues".

import Glibc
import SignalboxConcurrency
import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

// block: TestingQueues/counter
/// Counts words in the background.
// SAFETY: `counts` is confined to `queue`.
final class WordCounter: @unchecked Sendable {
  private let queue: DispatchQueue
  private var counts: [String: Int] = [:]

  init(queue: DispatchQueue = DispatchQueue(label: "org.example.words")) {
    self.queue = queue
  }

  func add(_ text: String, done: @escaping @Sendable () -> Void = {}) {
    queue.async { [self] in
      for word in text.split(separator: " ") { counts[String(word), default: 0] += 1 }
      done()
    }
  }

  func count(of word: String) -> Int { queue.sync { counts[word] ?? 0 } }
}
// end

// block: TestingQueues/index
/// Only for items of its queue.
// SAFETY: every method checks the queue.
final class Index: @unchecked Sendable {
  let queue = DispatchQueue(label: "org.example.index")
  private var pages: [String] = []

  func add(_ page: String) {
    dispatchPrecondition(condition: .onQueue(queue))
    pages.append(page)
  }
}
// end

@Suite("Testing code that uses queues") struct TestingQueuesTests {
  // block: TestingQueues/fence
  @Test func wordsAreCountedAndReported() {
    let queue = DispatchQueue(label: "test.words")
    let counter = WordCounter(queue: queue)
    let reports = Mutex<[String]>([])
    counter.add("one two two") { reports.withLock { $0.append("added") } }
    queue.sync {}  // a fence: all that was submitted before has run
    #expect(reports.withLock { $0 } == ["added"])
    #expect(counter.count(of: "two") == 2)
  }
  // end

  // block: TestingQueues/suspended
  @Test func addReturnsBeforeItCounts() {
    let queue = DispatchQueue(label: "test.words")
    let counter = WordCounter(queue: queue)
    let reports = Mutex<[String]>([])
    queue.suspend()
    counter.add("one") { reports.withLock { $0.append("added") } }
    #expect(reports.withLock { $0.isEmpty })  // nothing of the queue can have run
    queue.resume()
    queue.sync {}
    #expect(reports.withLock { $0 } == ["added"])
  }
  // end

  // block: TestingQueues/event
  @Test func theCallbackIsCalled() {
    let counter = WordCounter()
    let added = DispatchSemaphore(value: 0)
    counter.add("one") { added.signal() }
    // The limit is only for a test that fails: it may be long.
    #expect(added.wait(timeout: .now() + .seconds(60)) == .success)
  }
  // end

  // block: TestingQueues/await
  @Test func theCallbackReachesATask() async {
    let counter = WordCounter()
    await withCheckedContinuation { continuation in
      counter.add("one") { continuation.resume() }
    }
    #expect(counter.count(of: "one") == 1)
  }

  @Test func allTextsAreCounted() async throws {
    let counter = WordCounter()
    let group = DispatchGroup()
    for _ in 1...100 {
      group.enter()
      counter.add("one") { group.leave() }
    }
    try await group.finished()  // of SignalboxConcurrency; no thread is blocked
    #expect(counter.count(of: "one") == 100)
  }
  // end

  // block: TestingQueues/stampede
  @Test func manyThreadsMayAdd() {
    let counter = WordCounter()
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in counter.add("one") }
    #expect(counter.count(of: "one") == 1000)
  }
  // end

  // block: TestingQueues/trap
  @Test func addChecksItsQueue() async {
    await #expect(processExitsWith: .failure) {
      Index().add("page")  // not on the index's queue
    }
  }
  // end

  @Test func theMessageOfTheCheck() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Index().add("page")
    }
    // block: TestingQueues/trap-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: dispatchPrecondition: this code was
      expected to be on the queue "org.example.index", but is not
      (Bank/Index.swift:40).
      """
    // end
    Said.expect(result?.standardErrorContent, said)
    let index = Index()
    index.queue.sync { index.add("page") }
  }
}
