// SemaphoresAndWorkItemsTests — the code of "Semaphores and work items".

import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

/// Represents a connection to a database.
private struct Connection: Sendable {
  let number: Int
  func query(_ text: String) -> String { "\(text) by \(number)" }
}

// block: SemaphoresAndWorkItems/pool
/// Lends its connections, and lets callers wait while all of them are lent.
final class ConnectionPool<Connection: Sendable>: Sendable {
  private let available: DispatchSemaphore
  private let connections: Mutex<[Connection]>

  init(_ connections: [Connection]) {
    available = DispatchSemaphore(value: connections.count)
    self.connections = Mutex(connections)
  }

  func withConnection<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    available.wait()
    defer { available.signal() }
    let connection = connections.withLock { $0.removeLast() }
    defer { connections.withLock { $0.append(connection) } }
    return try body(connection)
  }
}
// end

@Suite("Semaphores and work items") struct SemaphoresAndWorkItemsTests {
  @Test func atMostAsManyAsThereArePermits() {
    let inside = Occupancy()
    let pool = ConnectionPool([Connection(number: 1), Connection(number: 2)])
    DispatchQueue.concurrentPerform(iterations: 100) { number in
      // block: SemaphoresAndWorkItems/use
      let answer = pool.withConnection { $0.query("SELECT \(number)") }
      // end
      #expect(answer.hasPrefix("SELECT \(number) by "))
      pool.withConnection { _ in
        inside.enter()
        inside.leave()
      }
    }
    #expect(inside.entered == 100 && inside.most <= 2)
  }

  @Test func aWaitWithATimeout() {
    let available = DispatchSemaphore(value: 0)
    var busy = false
    let sendBusy = { busy = true }
    let query = { busy = false }
    func answer() {
      // block: SemaphoresAndWorkItems/timeout
      guard available.wait(timeout: .now() + .milliseconds(100)) == .success else {
        return sendBusy()  // nothing was taken, so there is nothing to signal
      }
      defer { available.signal() }
      query()
      // end
    }
    answer()
    #expect(busy)
    available.signal()
    answer()
    #expect(!busy)
  }

  @Test func aSearchThatIsCancelled() throws {
    let indexed = EventLog<Int>()
    let (begun, mayGoOn, notified) = (Gate(), Gate(), Gate())
    let index: @Sendable (Int) -> Void = {
      indexed.append($0)
      begun.open()
      mayGoOn.pass()
    }
    let pages = Array(1...1000)
    let queue = DispatchQueue(label: "org.example.search")
    let ui = DispatchQueue(label: "org.example.ui")
    let showResults: @Sendable (Bool) -> Void = { if $0 { notified.open() } }
    // block: SemaphoresAndWorkItems/cancel
    weak var own: DispatchWorkItem?
    let search = DispatchWorkItem {
      for page in pages {
        if own?.isCancelled ?? true { return }  // somebody called cancel()
        index(page)
      }
    }
    own = search
    search.notify(queue: ui) { showResults(search.isCancelled) }
    queue.async(execute: search)
    // end
    try begun.wait()
    search.cancel()
    mayGoOn.open()
    try notified.wait()
    #expect(indexed.all == [1])
  }

  @Test func anItemThatNeverBegan() {
    let queue = DispatchQueue(label: "org.example.search")
    let runs = EventCounter()
    queue.suspend()
    let item = DispatchWorkItem { runs.increment() }
    queue.async(execute: item)
    item.cancel()
    queue.resume()
    item.wait()
    #expect(runs.value == 0)
  }

  @Test func waitingForAnItem() {
    let load: @Sendable () -> Int = { 7 }
    let queue = DispatchQueue(label: "org.example.index")
    // block: SemaphoresAndWorkItems/wait
    var index: Int?
    let loading = DispatchWorkItem { index = load() }
    queue.async(execute: loading)
    // … do something else meanwhile …
    loading.wait()
    print(index!)
    // end
    #expect(index == 7)
  }

  @Test func anItemThatRunsAlone() {
    let log = EventLog<String>()
    let read: @Sendable (Int) -> Void = { log.append("read \($0)") }
    let clear: @Sendable () -> Void = { log.append("clear") }
    // block: SemaphoresAndWorkItems/barrier
    let cache = DispatchQueue(label: "org.example.cache", attributes: .concurrent)
    let clearing = DispatchWorkItem(flags: .barrier) { clear() }
    for number in 1...3 { cache.async { read(number) } }
    cache.async(execute: clearing)  // after those three, alone
    cache.async { read(4) }  // after it
    // end
    cache.sync(flags: .barrier) {}
    #expect(Set(log.all.prefix(3)) == ["read 1", "read 2", "read 3"])
    #expect(log.all.suffix(2) == ["clear", "read 4"])
  }

  @Test func anExitWithoutASignal() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let isValid: (String) -> Bool = { !$0.isEmpty }
      // block: SemaphoresAndWorkItems/forgotten
      func store(_ text: String) {
        let slot = DispatchSemaphore(value: 1)
        slot.wait()
        guard isValid(text) else { return }  // forgets signal()
        slot.signal()
      }
      store("")
      // end
    }
    // block: SemaphoresAndWorkItems/forgotten-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: a DispatchSemaphore was released with
      the value 0, below the 1 it was made with: signal() as often as
      wait() before the last reference goes away.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func submittedTwiceAndWaitedFor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // block: SemaphoresAndWorkItems/twice
      let queue = DispatchQueue(label: "org.example.index")
      let item = DispatchWorkItem { print("working") }
      queue.async(execute: item)
      queue.async(execute: item)
      queue.sync {}
      item.wait()
      // end
    }
    // block: SemaphoresAndWorkItems/twice-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: a DispatchWorkItem was run more than
      once and waited for: its end would be ambiguous. Make an item for
      each run.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func waitedForTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let item = DispatchWorkItem {}
      item.perform()
      item.wait()
      item.wait()
    }
    // block: SemaphoresAndWorkItems/waited-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: a DispatchWorkItem was waited for more
      than once: use a DispatchGroup where several wait.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
