// PortStressTests — ports and sources with a descriptor: messages keep their order and none is
// lost, while other objects are created and freed.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

let portSubjects = [
  Subject("each sender's messages come all, and in order", messagesKeepTheirOrder),
  Subject("questions and answers between two loops", answersComeBack),
  Subject("ports end while others send, and nothing leaks", portsEnd),
  Subject("descriptors come and go, and no byte is overlooked", descriptorsComeAndGo),
]

@Suite struct PortStressTests {
  @Test(arguments: portSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private final class Handler: PortDelegate, Sendable {
  private let body: @Sendable (PortMessage) -> Void
  init(_ body: @escaping @Sendable (PortMessage) -> Void) { self.body = body }
  func handle(_ message: PortMessage) { body(message) }
}

private var limit: Date { Date(timeIntervalSinceNow: loopLimit) }

private func messagesKeepTheirOrder(_ random: inout SeededGenerator) throws {
  let count = Int.random(in: 1...600, using: &random)
  let senders = Int.random(in: 1...3, using: &random)
  let slow = Int.random(in: 0...200, using: &random)
  let port = Port()
  let next = Guarded([UInt32](repeating: 0, count: senders))
  let wrong = EventCounter("messages out of order")
  let handled = EventCounter("messages handled")
  let handler = Handler { message in
    let (sender, index) = (Int(message.msgid >> 20), message.msgid & 0xF_FFFF)
    next.withValue {
      if $0[sender] != index { wrong.increment() }
      $0[sender] = index + 1
    }
    if index % 16 == 0 { dawdle(slow) }
    handled.increment()
  }
  port.setDelegate(handler)
  // The port moves between two loops; one loop at a time has it.
  let threads = [try LoopThread(), try LoopThread()]
  let moves = Int.random(in: 0...10, using: &random)
  let seeds = (0...senders).map { _ in random.next() }
  RunLoop.of(threads[0].loop).add(port, forMode: .common)
  try runThreads(senders + 1) { index in
    var random = SeededGenerator(seed: seeds[index])
    if index == senders {
      for move in 0..<moves {
        let (from, to) = (threads[move % 2], threads[(move + 1) % 2])
        // Runs on the port's own thread, so that no message is being handled at that moment.
        try from.run { RunLoop.current.remove(port, forMode: .common) }
        dawdle(Int.random(in: 0...300, using: &random))
        RunLoop.of(to.loop).add(port, forMode: .common)
      }
      return
    }
    for number in 0..<count {
      dawdle(Int.random(in: 0...60, using: &random))
      let sent = port.send(
        before: limit, msgid: index << 20 | number, components: nil, from: nil, reserved: 0)
      if !sent { throw Broken("message \(number) of \(index) was not sent") }
    }
  }
  try handled.wait(for: count * senders)
  // The port does not retain it.
  withExtendedLifetime(handler) {}
  port.invalidate()
  for thread in threads { try thread.end() }
  try agree(wrong.value, 0, "messages out of order")
  try agree(handled.value, count * senders, "messages handled")
}

private func answersComeBack(_ random: inout SeededGenerator) throws {
  let rounds = UInt32.random(in: 1...300, using: &random)
  let (here, there) = (Port(), Port())
  let ended = Gate("the last answer")
  let wrong = EventCounter("wrong answers")
  let answering = Handler { message in
    let answer = PortMessage(
      sendPort: message.sendPort, receivePort: message.receivePort, components: message.components)
    answer.msgid = message.msgid + 1
    if !answer.send(before: limit) { wrong.increment() }
  }
  let asking = Handler { message in
    if message.msgid >= rounds { return ended.open() }
    if message.components?.count != 1 { wrong.increment() }
    answering.handle(message)
  }
  here.setDelegate(asking)
  there.setDelegate(answering)
  let threads = [try LoopThread(), try LoopThread()]
  RunLoop.of(threads[0].loop).add(here, forMode: .default)
  RunLoop.of(threads[1].loop).add(there, forMode: .default)
  there.send(
    before: limit, msgid: 0, components: [Data([1])], from: here, reserved: 0)
  try ended.wait()
  for port in [here, there] { port.invalidate() }
  for thread in threads { try thread.end() }
  withExtendedLifetime((answering, asking)) {}
  try agree(wrong.value, 0, "wrong answers")
}

/// The contents of a message; they show when the message is freed.
// SAFETY: `object` is set before any other thread has the port.
private final class Parcel: Port, @unchecked Sendable {
  var object: TrackedObject?
}

private func portsEnd(_ random: inout SeededGenerator) throws {
  let tracker = LeakTracker()
  do {
    let thread = try LoopThread()
    let port = Port()
    let handler = Handler { _ in dawdle(20) }
    port.setDelegate(handler)
    RunLoop.of(thread.loop).add(port, forMode: .default)
    let senders = Int.random(in: 1...3, using: &random)
    let endsThread = Bool.random(using: &random)
    let seeds = (0...senders).map { _ in random.next() }
    try runThreads(senders + 1) { index in
      var random = SeededGenerator(seed: seeds[index])
      if index == senders {
        dawdle(Int.random(in: 0...20_000, using: &random))
        if endsThread { try thread.end() }
        dawdle(Int.random(in: 0...2_000, using: &random))
        port.invalidate()
        return
      }
      for number in 0..<2_000 {
        let parcel = Parcel()
        parcel.object = tracker.makeObject()
        let sent = port.send(
          before: limit, msgid: number, components: [parcel], from: parcel, reserved: 0)
        if !sent { return }
      }
    }
    if port.isValid { throw Broken("the port is valid") }
    if !endsThread { try thread.end() }
    withExtendedLifetime(handler) {}
  }
  try tracker.waitUntilAllAreFreed()
}

private func descriptorsComeAndGo(_ random: inout SeededGenerator) throws {
  let thread = try LoopThread()
  let loop = thread.loop
  let others = Int.random(in: 1...4, using: &random)
  let rounds = Int.random(in: 1...40, using: &random)
  let seeds = (0..<others).map { _ in random.next() }
  try runThreads(others) { index in
    var random = SeededGenerator(seed: seeds[index])
    let ends = try Ends()
    let taken = EventCounter("bytes taken")
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.getPort = { _ in ends.input }
    context.perform = { _ in if !ends.take(atMost: 1).isEmpty { taken.increment() } }
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, index - 1, &context)!
    var isIn = false
    for round in 1...rounds {
      if !isIn {
        CFRunLoopAddSource(loop, source, .commonModes)
        isIn = true
      }
      dawdle(Int.random(in: 0...200, using: &random))
      ends.put([UInt8(truncatingIfNeeded: round)])
      if Bool.random(using: &random) {
        // The byte waits until the source is added again.
        CFRunLoopRemoveSource(loop, source, .commonModes)
        dawdle(Int.random(in: 0...200, using: &random))
        CFRunLoopAddSource(loop, source, .commonModes)
      }
      try taken.wait(for: round)
      if Bool.random(using: &random) {
        CFRunLoopRemoveSource(loop, source, .commonModes)
        isIn = false
      }
    }
    CFRunLoopSourceInvalidate(source)
    try agree(taken.value, rounds, "bytes taken")
  }
  try thread.end()
}
