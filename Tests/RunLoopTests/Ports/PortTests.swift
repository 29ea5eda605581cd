// PortTests — ports between threads: what arrives, in which order, on which thread, and what
// retains what.

import FoundationEssentials
import SignalboxTestSupport
import Testing

@testable import SignalboxRunLoop

/// Records what arrives at a port.
final class Recorder: PortDelegate, Sendable {
  struct Arrival: Sendable, Equatable {
    let number: UInt32
    var texts: [String]?
    var thread = 0
  }

  let log = EventLog<Arrival>()
  private let then: @Sendable (PortMessage) -> Void

  init(_ then: @escaping @Sendable (PortMessage) -> Void = { _ in }) { self.then = then }

  func handle(_ message: PortMessage) {
    let texts = message.components?.map { one in
      (one as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "a port"
    }
    log.append(Arrival(number: message.msgid, texts: texts, thread: kernelThreadNumber()))
    then(message)
  }

  var numbers: [UInt32] { log.all.map(\.number) }
}

extension Port {
  @discardableResult
  func post(_ number: Int, _ components: [Any]? = nil, from port: Port? = nil) -> Bool {
    send(
      before: Date(timeIntervalSinceNow: loopLimit), msgid: number,
      components: components, from: port, reserved: 0)
  }
}

@Suite("ports of one process")
struct PortTests {
  private let mode = RunLoop.Mode("ports \(UInt64.random(in: 0 ... .max))")

  private func pass(_ mode: RunLoop.Mode? = nil) -> CFRunLoopRunResult {
    CFRunLoopRunInMode(CFRunLoopMode(mode ?? self.mode), 0, false)
  }

  @Test(arguments: [false, true])
  func aMessageIsHandledOnTheLoopsThread(isMessagePort: Bool) throws {
    let port = isMessagePort ? MessagePort() : Port()
    let answers = Port()
    let seen = EventLog<Bool>()
    let recorder = Recorder { message in
      seen.append(message.receivePort === port && message.sendPort === answers)
    }
    port.setDelegate(recorder)
    #expect(port.delegate() === recorder)
    let thread = try LoopThread { _ in RunLoop.current.add(port, forMode: .default) }
    try waitUntilAsleep(thread.loop)
    #expect(port.post(1000, [Data("one".utf8), port, Data()], from: answers))
    let arrival = try recorder.log.wait(forCount: 1)[0]
    #expect(arrival.number == 1000)
    #expect(arrival.texts == ["one", "a port", ""])
    #expect(arrival.thread != kernelThreadNumber())
    try seen.wait(forCount: 1)
    #expect(seen.all == [true])
    try thread.end()
  }

  @Test func messagesOfOneSenderKeepTheirOrder() throws {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    let thread = try LoopThread { _ in RunLoop.current.add(port, forMode: .default) }
    for number in 0..<1000 { #expect(port.post(number)) }
    try recorder.log.wait(forCount: 1000)
    #expect(recorder.numbers == Array(0..<1000))
    try thread.end()
  }

  @Test func aMessageIsOneIterationOfALoop() {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    RunLoop.current.add(port, forMode: mode)
    for number in 1...3 { port.post(number) }
    for count in 1...3 {
      #expect(CFRunLoopRunInMode(CFRunLoopMode(mode), 0, true) == .handledSource)
      #expect(recorder.log.count == count)
    }
    #expect(CFRunLoopRunInMode(CFRunLoopMode(mode), 0, true) == .timedOut)
    port.invalidate()
  }

  @Test func messagesSentBeforeThereIsALoopWait() {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    port.post(1)
    RunLoop.current.add(port, forMode: mode)
    #expect(pass() == .timedOut)
    #expect(recorder.numbers == [1])
    port.invalidate()
  }

  @Test func addingAPortWithMessagesWakesASleepingLoop() throws {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    port.post(1)
    let thread = try LoopThread()
    try waitUntilAsleep(thread.loop)
    port.schedule(in: RunLoop.of(thread.loop), forMode: .default)
    try recorder.log.wait(forCount: 1)
    try thread.end()
  }

  @Test func anotherModeHoldsItBack() {
    let (port, recorder) = (Port(), Recorder())
    let other = RunLoop.Mode(mode.rawValue + " other")
    port.setDelegate(recorder)
    let keeper = Port()
    RunLoop.current.add(keeper, forMode: other)
    RunLoop.current.add(port, forMode: mode)
    port.post(1)
    #expect(pass(other) == .timedOut)
    #expect(recorder.numbers == [])
    #expect(pass() == .timedOut)
    #expect(recorder.numbers == [1])
    RunLoop.current.remove(port, forMode: mode)
    #expect(pass() == .finished)
    port.post(2)
    RunLoop.current.add(port, forMode: other)
    #expect(pass(other) == .timedOut)
    #expect(recorder.numbers == [1, 2])
    for port in [port, keeper] { port.invalidate() }
    #expect(pass(other) == .finished)
  }

  @Test func aPortCanBeInTheCommonModes() throws {
    try onPlainThread {
      let (port, recorder) = (Port(), Recorder())
      port.setDelegate(recorder)
      RunLoop.current.add(port, forMode: .common)
      for (number, mode) in [RunLoop.Mode.default, .eventTracking, .modalPanel].enumerated() {
        port.post(number)
        CFRunLoopRunInMode(CFRunLoopMode(mode), 0, true)
        try agree(recorder.log.count, number + 1)
      }
      port.invalidate()
    }
  }

  private func agree(_ a: Int, _ b: Int) throws {
    if a != b { throw SystemCallFailure(call: "\(a) messages where \(b) were sent", code: 0) }
  }

  // MARK: Capacity

  @Test func aFullPortRefusesAMessageWithoutTimeToWait() {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    for number in 0..<PortInbox.limit {
      #expect(
        port.send(
          before: .distantPast, msgid: number, components: nil, from: nil, reserved: 0))
    }
    #expect(!port.send(before: .distantPast, components: nil, from: nil, reserved: 0))
    let begin = Uptime.now()
    #expect(
      !port.send(
        before: Date(timeIntervalSinceNow: RealTime.settling / .seconds(1)), components: nil,
        from: nil, reserved: 0))
    #expect(Uptime.now().since(begin) >= RealTime.settling * 0.9)
    RunLoop.current.add(port, forMode: mode)
    #expect(CFRunLoopRunInMode(CFRunLoopMode(mode), 0, true) == .handledSource)
    #expect(port.send(before: .distantPast, components: nil, from: nil, reserved: 0))
    #expect(!port.send(before: .distantPast, components: nil, from: nil, reserved: 0))
    port.invalidate()
    #expect(recorder.numbers == [0])
  }

  @Test func aSenderContinuesWhenThereIsRoom() throws {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    for number in 0..<PortInbox.limit { port.post(number) }
    let thread = try LoopThread()
    let loop = thread.loop
    let senders = try (0..<4).map { index in
      try PlainThread {
        if !port.post(PortInbox.limit + index) {
          throw SystemCallFailure(call: "a sender gave up", code: 0)
        }
      }
    }
    while (port.mail as? PortInbox)?.waitingSenders != 4 { letRealTimePass(.microseconds(200)) }
    port.schedule(in: RunLoop.of(loop), forMode: .default)
    for sender in senders { try sender.join() }
    try recorder.log.wait(forCount: PortInbox.limit + 4)
    #expect(recorder.numbers.sorted() == (0..<UInt32(PortInbox.limit + 4)).map { $0 })
    try thread.end()
  }

  @Test func aWaitingSenderIsWokenWhenThePortIsInvalidated() throws {
    let port = Port()
    for number in 0..<PortInbox.limit { port.post(number) }
    let answers = EventLog<Bool>()
    let senders = try (0..<4).map { _ in
      try PlainThread {
        answers.append(port.send(before: .distantFuture, components: nil, from: nil, reserved: 0))
      }
    }
    while (port.mail as? PortInbox)?.waitingSenders != 4 { letRealTimePass(.microseconds(200)) }
    port.invalidate()
    for sender in senders { try sender.join() }
    #expect(answers.all == [false, false, false, false])
    #expect(!port.isValid)
    #expect(!port.post(1))
  }

  // MARK: Sleeps

  @Test func aMessageSentBeforeTheSleepIsNotMissed() {
    let (port, recorder) = (Port(), Recorder())
    port.setDelegate(recorder)
    RunLoop.current.add(port, forMode: mode)
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, false, 0
    ) { _, _ in port.post(1) }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, CFRunLoopMode(mode))
    let result = CFRunLoopRunInMode(CFRunLoopMode(mode), loopLimit, true)
    #expect(result == .handledSource)
    #expect(recorder.numbers == [1])
    port.invalidate()
  }

  @Test func aMessageSentDuringANestedRunIsNotMissed() throws {
    let (port, recorder, keeper) = (Port(), Recorder(), Port())
    let other = CFRunLoopMode(mode.rawValue + " other")
    port.setDelegate(recorder)
    RunLoop.current.add(port, forMode: mode)
    RunLoop.current.add(keeper, forMode: RunLoop.Mode(other))
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, false, 0
    ) { _, _ in
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), other) {
        port.post(1)
        CFRunLoopStop(CFRunLoopGetCurrent())
      }
      CFRunLoopRunInMode(other, loopLimit, true)
    }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, CFRunLoopMode(mode))
    let result = CFRunLoopRunInMode(CFRunLoopMode(mode), loopLimit, true)
    #expect(result == .handledSource)
    #expect(recorder.numbers == [1])
    for port in [port, keeper] { port.invalidate() }
  }

  // MARK: Retention

  // SAFETY: the properties that it adds never change.
  private final class TrackedPort: Port, @unchecked Sendable {
    let object: TrackedObject
    init(_ tracker: LeakTracker) {
      object = tracker.makeObject()
      super.init(PortInbox())
    }
  }

  @Test func onlyALoopKeepsItsPorts() throws {
    let tracker = LeakTracker()
    let loop = CFRunLoop.current
    RunLoop.current.add(TrackedPort(tracker), forMode: mode)
    #expect(tracker.alive == 1)
    do {
      let items = loop.lock.withLock { loop.mode(named: CFRunLoopMode(mode)).ports.sources }
      let port = try #require((items.first as? PortMail)?.kept)
      RunLoop.current.remove(port, forMode: mode)
    }
    #expect(tracker.alive == 0)
    #expect(pass() == .finished)
  }

  /// A port with its own way to receive: it is never in the loop's lists.
  // SAFETY: the properties that it adds never change, or are guarded.
  private final class OwnPort: Port, @unchecked Sendable {
    let log: EventLog<String>
    let object: TrackedObject
    init(_ log: EventLog<String>, _ tracker: LeakTracker) {
      self.log = log
      object = tracker.makeObject()
      super.init(PortInbox())
    }
    override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
      log.append("+\(mode.rawValue)")
    }
    override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
      log.append("-\(mode.rawValue)")
    }
  }

  @Test func aPortIsScheduledOnceInEachMode() throws {
    let (log, tracker) = (EventLog<String>(), LeakTracker())
    let loop = RunLoop.current
    let port = OwnPort(log, tracker)
    let (one, other) = (RunLoop.Mode("one"), RunLoop.Mode("other"))
    for mode in [one, one, other, .common, one, .common] { loop.add(port, forMode: mode) }
    let common = RunLoop.Mode.common.rawValue
    #expect(log.all == ["+one", "+other", "+\(common)"])
    for mode in [one, one, .default] { loop.remove(port, forMode: mode) }
    #expect(log.all.dropFirst(3) == ["-one"])
    loop.add(port, forMode: one)
    for mode in [.common, other, one] { loop.remove(port, forMode: mode) }
    #expect(log.all.dropFirst(4) == ["+one", "-\(common)", "-other", "-one"])
  }

  @Test(arguments: ["removed", "invalid", "ended"])
  func aLoopKeepsAPortThatSchedulesItself(until end: String) throws {
    let (log, tracker) = (EventLog<String>(), LeakTracker())
    let modes = [mode, .common]
    try onPlainThread {
      // SAFETY: compared with nil, and used on this thread.
      weak var port: OwnPort?
      do {
        let new = OwnPort(log, tracker)
        port = new
        for mode in modes { RunLoop.current.add(new, forMode: mode) }
      }
      #expect(port != nil)
      switch end {
      case "removed":
        if let port { RunLoop.current.remove(port, forMode: modes[0]) }
        #expect(port != nil)
        if let port { RunLoop.current.remove(port, forMode: modes[1]) }
      case "invalid": port?.invalidate()
      default: return
      }
      #expect(port == nil)
      #expect(tracker.alive == 0)
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 1)
  }

  @Test func portsAreFreedWithTheThreadAndTheirMessages() throws {
    let tracker = LeakTracker()
    try onPlainThread {
      let (port, other) = (TrackedPort(tracker), TrackedPort(tracker))
      RunLoop.current.add(port, forMode: .common)
      port.post(1, [other], from: other)
      // The loop never runs, so the message is freed with the thread.
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 2)
  }

  @Test func anInvalidPortLeavesItsLoopsAndFreesItsMessages() throws {
    let tracker = LeakTracker()
    let port = Port()
    RunLoop.current.add(port, forMode: mode)
    port.post(1, [TrackedPort(tracker)])
    #expect(tracker.alive == 1)
    port.invalidate()
    port.invalidate()
    #expect(tracker.alive == 0)
    #expect(pass() == .finished)
    RunLoop.current.add(port, forMode: mode)
    #expect(pass() == .finished)
  }

  /// They retain each other until one is invalidated.
  @Test func portsInEachOthersMessagesAreFreedWhenOneIsInvalid() {
    let tracker = LeakTracker()
    weak var one: Port?
    weak var own: Port?
    do {
      let (a, b, c) = (TrackedPort(tracker), TrackedPort(tracker), TrackedPort(tracker))
      a.post(1, nil, from: b)
      b.post(1, [a])
      c.post(1, [c], from: c)
      (one, own) = (a, c)
    }
    #expect(tracker.alive == 3)
    one?.invalidate()
    #expect(tracker.alive == 1)
    own?.invalidate()
    #expect(tracker.alive == 0)
  }

  // MARK: Messages

  @Test func aMessageIsSentFromItsReceivePortToItsSendPort() {
    let (to, from, recorder) = (Port(), Port(), Recorder())
    to.setDelegate(recorder)
    let message = PortMessage(sendPort: to, receivePort: from, components: [Data("x".utf8)])
    message.msgid = 7
    #expect(message.send(before: .distantPast))
    #expect((message.copy() as? PortMessage)?.msgid == 7)
    RunLoop.current.add(to, forMode: mode)
    #expect(pass() == .timedOut)
    #expect(recorder.numbers == [7])
    #expect(recorder.log.all[0].texts == ["x"])
    #expect(
      !PortMessage(sendPort: nil, receivePort: from, components: nil).send(before: .distantPast))
    to.invalidate()
  }

  @Test func portsAreComparedByIdentity() {
    let (a, b) = (Port(), Port())
    #expect(a == a && a != b)
    #expect(Set([a, b, a]).count == 2)
    #expect((a.copy() as? Port) === a)
    #expect("\(a)".contains("Port") && "\(a)".contains("valid"))
  }
}
