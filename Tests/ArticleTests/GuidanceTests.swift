// GuidanceTests — the code of the articles that help to choose.

import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

// block: ChoosingATool/lock
/// A lock: one value, held for some instructions.
final class Hits: Sendable {
  private let counts = Mutex<[String: Int]>([:])
  func add(_ page: String) { counts.withLock { $0[page, default: 0] += 1 } }
  func count(of page: String) -> Int { counts.withLock { $0[page] ?? 0 } }
}
// end

// block: ChoosingATool/queue
/// A serial queue: work in order, which the caller need not wait for.
// SAFETY: `lines` is confined to `queue`.
final class Log: @unchecked Sendable {
  private let queue = DispatchQueue(label: "org.example.log", qos: .utility)
  private var lines: [String] = []
  func write(_ line: String) { queue.async { self.lines.append(line) } }
  func flush() -> [String] { queue.sync { lines } }
}
// end

// block: ChoosingATool/actor
/// An actor: the same for code that is async itself.
actor Sessions {
  private var users: Set<String> = []
  func begin(_ user: String) { users.insert(user) }
  var count: Int { users.count }
}
// end

// block: CopyingOrLocking/snapshot
/// A list that is read often and changed seldom: a reader takes a copy and unlocks.
final class Subscribers: Sendable {
  private let list = Mutex<[@Sendable (String) -> Void]>([])

  func add(_ subscriber: @escaping @Sendable (String) -> Void) {
    list.withLock { $0.append(subscriber) }
  }

  func publish(_ news: String) {
    let current = list.withLock { $0 }  // a copy: no element is copied until somebody writes
    for subscriber in current { subscriber(news) }  // no lock is held here
  }
}
// end

// block: ThreadSafeLibraries/owner
/// A decoder that is not made for several threads: each call has one of its own.
struct Decoder {
  private var seen = 0
  mutating func decode(_ text: String) -> Int {
    seen += 1
    return text.utf8.count
  }
}

/// The library's face: safe from any thread, since nothing is shared.
public enum Lengths {
  public static func length(of text: String) -> Int {
    var decoder = Decoder()
    return decoder.decode(text)
  }
}
// end

// block: ThreadSafeLibraries/callbacks
/// What is shared stands behind a lock, and the client is called without it.
public final class Cache: Sendable {
  private let values = Mutex<[String: Int]>([:])
  public init() {}

  public func value(for key: String, make: (String) -> Int) -> Int {
    if let known = values.withLock({ $0[key] }) { return known }
    let made = make(key)  // the client's code: it may use this cache itself
    return values.withLock {
      if let earlier = $0[key] { return earlier }
      $0[key] = made
      return made
    }
  }
}
// end

@Suite("Guidance") struct GuidanceTests {
  @Test func aLockAQueueAnActor() async {
    let hits = Hits()
    hits.add("/")
    #expect(hits.count(of: "/") == 1)
    let log = Log()
    log.write("one")
    log.write("two")
    #expect(log.flush() == ["one", "two"])
    let sessions = Sessions()
    await sessions.begin("ada")
    #expect(await sessions.count == 1)
  }

  @Test func classesByPurpose() throws {
    let done = EventCounter()
    let openPhoto: @Sendable () -> Void = { done.increment() }
    let importPhotos: @Sendable () -> Void = { done.increment() }
    let cleanUp: @Sendable () -> Void = { done.increment() }
    // block: QualityOfService/classes
    DispatchQueue.global(qos: .userInitiated).async { openPhoto() }  // somebody waits for it
    DispatchQueue.global(qos: .utility).async { importPhotos() }  // with a progress bar
    DispatchQueue.global(qos: .background).async { cleanUp() }  // nobody looks
    // end
    try done.wait(for: 3)
  }

  @Test func anItemThatIsMoreUrgentThanItsQueue() throws {
    let done = EventCounter()
    let show: @Sendable () -> Void = { done.increment() }
    // block: QualityOfService/enforce
    let thumbnails = DispatchQueue(label: "org.example.thumbnails", qos: .utility)
    thumbnails.async(qos: .userInteractive, flags: .enforceQoS) { show() }
    // end
    try done.wait(for: 1)
  }

  @Test func aCopyIsCalledWithoutTheLock() {
    let heard = EventLog<String>()
    let subscribers = Subscribers()
    subscribers.add { news in
      heard.append(news)
      subscribers.add { _ in }  // would wait for itself, were the lock held
    }
    subscribers.publish("snow")
    #expect(heard.all == ["snow"])
  }

  @Test func aCopyForEachItem() {
    // block: CopyingOrLocking/parts
    let numbers = Array(1...1000)
    let parts = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { part in
      let own = numbers[(part * 250)..<(part * 250 + 250)].reduce(0, +)  // no lock in here
      parts.withLock { $0.append(own) }  // one, at the end
    }
    let sum = parts.withLock { $0.reduce(0, +) }
    // end
    #expect(sum == 500_500)
  }

  @Test func aLibraryThatSharesNothing() {
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      #expect(Lengths.length(of: "signal") == 6)
    }
  }

  @Test func aLibraryThatCallsItsClientWithoutALock() {
    let cache = Cache()
    let length = cache.value(for: "outer") { outer in
      cache.value(for: "inner") { $0.utf8.count } + outer.utf8.count
    }
    #expect(length == 10)
  }
}
