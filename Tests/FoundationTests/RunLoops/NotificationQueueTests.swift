// NotificationQueueTests — notifications that are posted later: when, in which order, in which modes,
// which of them coalesce, and what is freed.

import SignalboxFoundation
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct NotificationQueueTests {
  /// A thread's loop, a notification center of its own, and the notifications posted there.
  // SAFETY: used only by the thread that makes it.
  private final class Desk: @unchecked Sendable {
    let center = NotificationCenter()
    let queue: NotificationQueue
    let posted = EventLog<String>()
    private let keeper = makeSource()
    private var observer: (any NSObjectProtocol)?

    init() {
      queue = NotificationQueue(notificationCenter: center)
      CFRunLoopAddSource(SignalboxRunLoop.CFRunLoopGetCurrent(), keeper, .commonModes)
      observer = center.addObserver(forName: nil, object: nil, queue: nil) { [posted] in
        let detail = $0.userInfo?["detail"].map { ":\($0)" } ?? ""
        posted.append($0.name.rawValue + detail)
      }
    }

    func enqueue(
      _ name: String, _ style: NotificationQueue.PostingStyle = .asap,
      from sender: Any? = nil, detail: Int? = nil,
      _ mask: NotificationQueue.NotificationCoalescing = .none, in modes: [RunLoop.Mode]? = nil
    ) {
      let info = detail.map { ["detail": $0] as [AnyHashable: Any] }
      queue.enqueue(
        Notification(name: .init(name), object: sender, userInfo: info), postingStyle: style,
        coalesceMask: mask, forModes: modes)
    }

    /// Runs the loop once without sleeping, or until it is woken.
    func pass(_ mode: RunLoop.Mode = .default) { run(mode, 0) }

    func run(_ mode: RunLoop.Mode = .default, _ seconds: Double = loopLimit) {
      _ = SignalboxRunLoop.CFRunLoopRunInMode(CFRunLoopMode(mode), seconds, false)
    }

    /// Runs until the loop sleeps or is about to sleep.
    func runUntilItSleeps(_ mode: RunLoop.Mode = .default) {
      let loop = SignalboxRunLoop.CFRunLoopGetCurrent()!
      let observer = makeObserver(of: .beforeWaiting, repeats: false, order: .max) { _ in
        SignalboxRunLoop.CFRunLoopStop(loop)
      }
      SignalboxRunLoop.CFRunLoopAddObserver(loop, observer, CFRunLoopMode(mode))
      run(mode)
    }

    deinit { observer.map { center.removeObserver($0) } }
  }

  @Test func nowIsBeforeTheCallReturns() throws {
    try onPlainThread {
      let desk = Desk()
      desk.enqueue("a", .now)
      #expect(desk.posted.all == ["a"])
      desk.pass()
      #expect(desk.posted.all == ["a"])
    }
  }

  @Test func asapIsPostedAtTheEndOfThePassInOrder() throws {
    try onPlainThread {
      let desk = Desk()
      SignalboxRunLoop.RunLoop.current.perform { [posted = desk.posted] in posted.append("block") }
      for name in ["a", "b", "c"] { desk.enqueue(name) }
      #expect(desk.posted.all == [])
      desk.pass()
      #expect(desk.posted.all == ["block", "a", "b", "c"])
      desk.pass()
      #expect(desk.posted.count == 4)
    }
  }

  @Test func notificationsQueuedByAPostWaitForTheNextPassWithoutASleep() throws {
    try onPlainThread {
      let desk = Desk()
      let chain = desk.center.addObserver(forName: .init("a"), object: nil, queue: nil) { _ in
        desk.enqueue("b")
      }
      defer { desk.center.removeObserver(chain) }
      desk.enqueue("a")
      desk.pass()
      #expect(desk.posted.all == ["a"])
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["a", "b"])
    }
  }

  @Test func asapIsPostedAlthoughTheLoopNeverSleeps() throws {
    try onPlainThread {
      let desk = Desk()
      let loop = SignalboxRunLoop.CFRunLoopGetCurrent()!
      let log = desk.posted
      let busy = Guarded<CFRunLoopSource?>(nil)
      let source = makeSource {
        // Signals the source again each time, so that no pass is idle.
        if log.count == 0 {
          busy.current.map { SignalboxRunLoop.CFRunLoopSourceSignal($0) }
        } else {
          SignalboxRunLoop.CFRunLoopStop(loop)
        }
      }
      busy.withValue { $0 = source }
      SignalboxRunLoop.CFRunLoopAddSource(loop, source, .defaultMode)
      SignalboxRunLoop.CFRunLoopSourceSignal(source)
      desk.enqueue("a")
      desk.run()
      #expect(log.all == ["a"])
      SignalboxRunLoop.CFRunLoopSourceInvalidate(source)
      busy.withValue { $0 = nil }
    }
  }

  @Test func idleWaitsUntilTheLoopHasNothingToDo() throws {
    try onPlainThread {
      let desk = Desk()
      desk.enqueue("idle", .whenIdle)
      desk.enqueue("asap", .asap)
      desk.pass()
      // A run that must not wait is never idle.
      #expect(desk.posted.all == ["asap"])
      // A run with remaining work is not idle either.
      let left = Guarded(3)
      SignalboxRunLoop.RunLoop.current.perform { [posted = desk.posted] in
        posted.append("block")
        SignalboxRunLoop.RunLoop.current.perform(afterDelay: 0) {
          left.withValue { $0 = 0 }
          posted.append("delay")
        }
      }
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["asap", "block", "delay", "idle"])
    }
  }

  @Test func newWorkStopsThePostingOfIdleNotifications() throws {
    try onPlainThread {
      let desk = Desk()
      let loop = SignalboxRunLoop.CFRunLoopGetCurrent()!
      let source = makeSource { [posted = desk.posted] in posted.append("source") }
      SignalboxRunLoop.CFRunLoopAddSource(loop, source, .defaultMode)
      let first = desk.center.addObserver(forName: .init("a"), object: nil, queue: nil) { _ in
        SignalboxRunLoop.CFRunLoopSourceSignal(source)
      }
      defer { desk.center.removeObserver(first) }
      desk.enqueue("a", .whenIdle)
      desk.enqueue("b", .whenIdle)
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["a", "source", "b"])
      SignalboxRunLoop.CFRunLoopSourceInvalidate(source)
    }
  }

  @Test func aDescriptorThatIsReadyKeepsTheLoopFromBeingIdle() throws {
    try onPlainThread {
      let desk = Desk()
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      let (readEnd, writeEnd) = (ends[0], ends[1])
      defer { for end in [readEnd, writeEnd] { close(end) } }
      var context = SignalboxRunLoop.CFRunLoopSourceContext1()
      context.version = 1
      context.getPort = { _ in readEnd }
      context.perform = { [posted = desk.posted] _ in
        var byte: UInt8 = 0
        _ = read(readEnd, &byte, 1)
        posted.append("byte")
      }
      let source = SignalboxRunLoop.CFRunLoopSourceCreate(nil, 0, &context)!
      SignalboxRunLoop.CFRunLoopAddSource(
        SignalboxRunLoop.CFRunLoopGetCurrent(), source, .defaultMode)
      desk.enqueue("idle", .whenIdle)
      _ = write(writeEnd, "x", 1)
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["byte", "idle"])
      SignalboxRunLoop.CFRunLoopSourceInvalidate(source)
    }
  }

  // MARK: Coalescing

  @Test func theNewestOfSimilarNotificationsReplacesTheOthersAtTheEnd() throws {
    try onPlainThread {
      let desk = Desk()
      let both: NotificationQueue.NotificationCoalescing = [.onName, .onSender]
      desk.enqueue("a", detail: 1, both)
      desk.enqueue("b", .asap, both)
      desk.enqueue("a", detail: 2, both)
      desk.queue.enqueue(Notification(name: .init("b")), postingStyle: .asap)
      desk.pass()
      #expect(desk.posted.all == ["a:2", "b"])
      // A posted notification is no longer in the queue.
      desk.enqueue("a", detail: 3, both)
      desk.pass()
      #expect(desk.posted.all == ["a:2", "b", "a:3"])
    }
  }

  /// A queue that kept only the first notification would lose the second sender's.
  @Test func notificationsOfAlternatingSendersAreBothPosted() throws {
    try onPlainThread {
      let desk = Desk()
      let (one, other) = (NSObject(), NSObject())
      desk.enqueue("n", from: one, detail: 1, .onName)
      desk.enqueue("n", from: other, detail: 2, .onSender)
      desk.enqueue("n", from: one, detail: 3, .onName)
      desk.enqueue("n", from: other, detail: 4, .onName)
      desk.enqueue("n", from: one, detail: 5, .onSender)
      desk.pass()
      #expect(desk.posted.all == ["n:4", "n:5"])
    }
  }

  /// Two senders and two names: which of the four notifications remain, for each mask.
  @Test func theMaskDeterminesWhatIsSimilar() throws {
    typealias Mask = NotificationQueue.NotificationCoalescing
    let cases: [(mask: Mask, posted: [String])] = [
      (.none, ["a:1", "a:2", "b:3", "b:4", "a:5"]),
      (.onName, ["b:4", "a:5"]),
      (.onSender, ["b:4", "a:5"]),
      ([.onName, .onSender], ["a:2", "b:3", "b:4", "a:5"]),
    ]
    try onPlainThread {
      for (mask, expected) in cases {
        let desk = Desk()
        let (one, other) = (NSObject(), NSObject())
        desk.enqueue("a", from: one, detail: 1, mask)
        desk.enqueue("a", from: other, detail: 2, mask)
        desk.enqueue("b", from: one, detail: 3, mask)
        desk.enqueue("b", from: other, detail: 4, mask)
        desk.enqueue("a", from: one, detail: 5, mask)
        desk.pass()
        #expect(desk.posted.all == expected, "\(mask)")
      }
    }
  }

  @Test func sendersThatAreValuesAreSimilarIfEqual() throws {
    struct Incomparable {}
    try onPlainThread {
      let desk = Desk()
      for (index, sender) in (["x", "x", "y", nil, nil] as [String?]).enumerated() {
        desk.enqueue("a", from: sender, detail: index, [.onName, .onSender])
      }
      for index in 5..<7 {
        desk.enqueue("a", from: Incomparable(), detail: index, [.onName, .onSender])
      }
      desk.pass()
      #expect(desk.posted.all == ["a:1", "a:2", "a:4", "a:5", "a:6"])
    }
  }

  @Test func theNewStyleReplacesTheOldOne() throws {
    try onPlainThread {
      let desk = Desk()
      desk.enqueue("a", .whenIdle, detail: 1, .onName)
      desk.enqueue("a", .asap, detail: 2, .onName)
      desk.pass()
      #expect(desk.posted.all == ["a:2"])
      desk.enqueue("a", .asap, detail: 3, .onName)
      desk.enqueue("a", .whenIdle, detail: 4, .onName)
      desk.pass()
      #expect(desk.posted.all == ["a:2"])
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["a:2", "a:4"])
      desk.enqueue("b", .whenIdle, detail: 1, .onName)
      desk.enqueue("b", .asap, detail: 2, .none)
      desk.enqueue("b", .now, detail: 3, .onName)
      #expect(desk.posted.all == ["a:2", "a:4", "b:3"])
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["a:2", "a:4", "b:3"])
    }
  }

  @Test func dequeuedNotificationsAreNotPosted() throws {
    try onPlainThread {
      let desk = Desk()
      let other = NotificationQueue(notificationCenter: desk.center)
      desk.enqueue("a")
      desk.enqueue("b", .whenIdle)
      desk.enqueue("a", .whenIdle)
      desk.enqueue("c")
      // Another queue's notifications stay.
      other.dequeueNotifications(
        matching: Notification(name: .init("a")), coalesceMask: .onName)
      desk.queue.dequeueNotifications(matching: Notification(name: .init("c")), coalesceMask: .none)
      desk.queue.dequeueNotifications(
        matching: Notification(name: .init("a")), coalesceMask: [.onName, .onSender])
      desk.runUntilItSleeps()
      #expect(desk.posted.all == ["c", "b"])
    }
  }

  @Test func manyNotificationsKeepTheirOrderWhicheverAreRemoved() throws {
    try onPlainThread {
      var generator = SeededGenerator(seed: 8)
      let desk = Desk()
      var expected: [String] = []
      for _ in 0..<2000 {
        let name = "n\(Int.random(in: 0..<40, using: &generator))"
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          desk.queue.dequeueNotifications(
            matching: Notification(name: .init(name)), coalesceMask: .onName)
          expected.removeAll { $0 == name }
        case 1:
          desk.enqueue(name, .asap, .none)
          expected.append(name)
        default:
          desk.enqueue(name, .asap, .onName)
          expected.removeAll { $0 == name }
          expected.append(name)
        }
      }
      desk.pass()
      #expect(desk.posted.all == expected)
    }
  }

  // MARK: Modes

  @Test func eachWaitsForOneOfItsModes() throws {
    let panel = RunLoop.Mode.modalPanel
    let own = RunLoop.Mode("own")
    try onPlainThread {
      let desk = Desk()
      let keeper = makeSource()
      SignalboxRunLoop.CFRunLoopAddSource(
        SignalboxRunLoop.CFRunLoopGetCurrent(), keeper, CFRunLoopMode(own))
      desk.enqueue("default")
      desk.enqueue("panel", in: [panel])
      desk.enqueue("common", in: [.common])
      desk.enqueue("own", in: [own, panel])
      desk.pass(own)
      #expect(desk.posted.all == ["own"])
      desk.pass(panel)
      #expect(desk.posted.all == ["own", "panel", "common"])
      desk.pass()
      #expect(desk.posted.all == ["own", "panel", "common", "default"])
      // The new notification has its own modes, not those of the one that it replaces.
      desk.enqueue("a", .asap, .onName, in: [own])
      desk.enqueue("a", .asap, .onName)
      desk.pass(own)
      #expect(desk.posted.all.last == "default")
      desk.pass()
      #expect(desk.posted.all.last == "a")
      SignalboxRunLoop.CFRunLoopSourceInvalidate(keeper)
    }
  }

  @Test func inAnotherModeNowIsNotPosted() throws {
    try onPlainThread {
      let desk = Desk()
      SignalboxRunLoop.RunLoop.current.perform(inModes: [.modalPanel]) {
        desk.enqueue("default", .now)
        desk.enqueue("panel", .now, in: [.modalPanel])
        desk.enqueue("common", .now, in: [.common])
      }
      desk.pass(.modalPanel)
      #expect(desk.posted.all == ["panel"])
    }
  }

  /// The mode in which the loop runs decides, and `.common` is not such a mode.
  @Test func nowForTheCommonModesIsNotPostedInTheDefaultMode() throws {
    try onPlainThread {
      let desk = Desk()
      let timer = Timer(timeInterval: 0, repeats: false) { _ in
        desk.enqueue("common", .now, in: [.common])
        desk.enqueue("both", .now, in: [.common, .default])
        desk.enqueue("default", .now)
        SignalboxRunLoop.CFRunLoopStop(SignalboxRunLoop.CFRunLoopGetCurrent())
      }
      RunLoop.current.add(timer, forMode: .default)
      desk.run()
      #expect(desk.posted.all == ["both", "default"])
      desk.enqueue("outside", .now, in: [.common])
      #expect(desk.posted.all.last == "outside")
    }
  }

  // MARK: Threads and lifetimes

  @Test func eachThreadHasItsOwnQueueAndPostsWhatItQueued() throws {
    let center = NotificationCenter()
    let queue = NotificationQueue(notificationCenter: center)
    let seen = Guarded<[Bool]>([])
    // SAFETY: any thread may use a queue.
    nonisolated(unsafe) let shared = queue
    let observer = center.addObserver(forName: nil, object: nil, queue: nil) { note in
      let isHere = note.userInfo?["thread"] as? Int == kernelThreadNumber()
      seen.withValue { $0.append(isHere) }
    }
    defer { center.removeObserver(observer) }
    try runThreads(4) { _ in
      let keeper = makeSource()
      SignalboxRunLoop.CFRunLoopAddSource(
        SignalboxRunLoop.CFRunLoopGetCurrent(), keeper, .defaultMode)
      for _ in 0..<50 {
        shared.enqueue(
          Notification(
            name: .init("a"), object: nil, userInfo: ["thread": kernelThreadNumber()]),
          postingStyle: .asap)
        _ = SignalboxRunLoop.CFRunLoopRunInMode(.defaultMode, 0, false)
      }
      #expect(NotificationQueue.default === NotificationQueue.default)
      SignalboxRunLoop.CFRunLoopSourceInvalidate(keeper)
    }
    #expect(seen.current.count == 200)
    #expect(seen.current.allSatisfy { $0 })
  }

  @Test func allIsFreedWithTheThread() throws {
    let tracker = LeakTracker()
    try onPlainThread {
      let own = NotificationQueue(notificationCenter: NotificationCenter())
      for style in [NotificationQueue.PostingStyle.asap, .whenIdle] {
        for queue in [own, .default] {
          queue.enqueue(
            Notification(name: .init("a"), object: tracker.makeObject()), postingStyle: style)
        }
      }
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 4)
  }

  @Test func postedCoalescedAndDequeuedNotificationsAreFreed() throws {
    let tracker = LeakTracker()
    try onPlainThread {
      let desk = Desk()
      for _ in 0..<3 { desk.enqueue("a", from: tracker.makeObject(), .onName) }
      desk.enqueue("b", from: tracker.makeObject())
      desk.queue.dequeueNotifications(
        matching: Notification(name: .init("b")), coalesceMask: .onName)
      #expect(tracker.alive == 1)
      desk.pass()
      #expect(tracker.alive == 0)
    }
  }

  @Test func aHostedLoopPostsWhatItsHostQueues() throws {
    try onPlainThread {
      let desk = Desk()
      let host = RunLoopHost()
      desk.enqueue("a")
      desk.enqueue("idle", .whenIdle)
      var polled = pollfd(fd: host.fileDescriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&polled, 1, 0) == 1)
      host.drain()
      #expect(desk.posted.all == ["a", "idle"])
      #expect(poll(&polled, 1, 0) == 0)
      host.end()
    }
  }
}
