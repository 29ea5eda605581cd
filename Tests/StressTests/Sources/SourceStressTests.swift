// SourceStressTests — sources that several threads merge into, suspend, resume, replace and
// cancel at a time; descriptors whose numbers are reused.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let sourceSubjects = [
  Subject("a source in a storm of changes keeps its promises", chaos),
  Subject("no merge is lost while a source is suspended and its handler replaced", mergeThroughout),
  Subject("a number that is used again tells its new source only", reuseNumbers),
  Subject("sources of one descriptor come and go while bytes arrive", comeAndGo),
]

@Suite struct SourceStressTests {
  @Test(arguments: sourceSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

func makeSourceQueue(_ random: inout SeededGenerator) -> DispatchQueue {
  switch Int.random(in: 0..<4, using: &random) {
  case 0: DispatchQueue(label: "org.signalbox.stress.source")
  case 1: DispatchQueue(label: "org.signalbox.stress.source.wide", attributes: .concurrent)
  case 2:
    DispatchQueue(
      label: "org.signalbox.stress.source.over",
      target: DispatchQueue(label: "org.signalbox.stress.source.under"))
  default: DispatchQueue.global()
  }
}

// MARK: Any source

/// Checks what must hold for every source, whatever happens to it: handlers run one at a time,
/// none runs after the cancel handler, which runs once, and nothing is retained afterwards.
private func chaos(_ random: inout SeededGenerator) throws {
  let queue = makeSourceQueue(&random)
  let kind = Int.random(in: 0..<4, using: &random)
  let threads = Int.random(in: 2...4, using: &random)
  let steps = Int.random(in: 20...150, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let tracker = LeakTracker()
  let inside = Counter(), together = Counter(), tooLate = Counter()
  let ended = EventCounter("cancel handlers")
  let handled = Unguarded(0), counted = Counter()
  let ends = try Ends(.sockets)
  do {
    let source: any DispatchSourceProtocol
    let fire: @Sendable () -> Void
    switch kind {
    case 0:
      let timer = Carried(DispatchSource.makeTimerSource(queue: queue))
      source = timer.value
      fire = { timer.value.schedule(deadline: .now(), repeating: .microseconds(300)) }
    case 1:
      let adder = Carried(DispatchSource.makeUserDataAddSource(queue: queue))
      source = adder.value
      fire = { adder.value.add(data: 1) }
    case 2:
      source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
      fire = { ends.put() }
    default:
      source = DispatchSource.makeWriteSource(fileDescriptor: ends.output, queue: queue)
      fire = {}
    }
    let shared = Carried(source)
    @Sendable func setHandler() {
      let object = tracker.makeObject()
      shared.value.setEventHandler {
        if inside.increment() != 1 { together.increment() }
        if ended.value > 0 { tooLate.increment() }
        if kind == 2 { _ = ends.take(atMost: 4096) }
        handled.increment()
        counted.increment()
        object.touch()
        inside.decrement()
      }
    }
    let last = tracker.makeObject()
    source.setCancelHandler {
      if inside.increment() != 1 { together.increment() }
      handled.increment()
      counted.increment()
      last.touch()
      ended.increment()
      inside.decrement()
    }
    source.setRegistrationHandler {
      if inside.increment() != 1 { together.increment() }
      handled.increment()
      counted.increment()
      inside.decrement()
    }
    setHandler()
    let cancels = Bool.random(using: &random)
    try runThreads(threads) { thread in
      var random = generators[thread]
      var held = 0
      for step in 0..<steps {
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where held < 3:
          shared.value.suspend()
          held += 1
        case 1, 2:
          if held > 0 {
            shared.value.resume()
            held -= 1
          }
        case 3: setHandler()
        case 4 where thread == 0: shared.value.setEventHandler(handler: nil)
        case 5: shared.value.activate()
        case 6 where cancels && step > steps / 2: shared.value.cancel()
        case 7: dawdle(Int.random(in: 0...500, using: &random))
        default: fire()
        }
      }
      for _ in 0..<held { shared.value.resume() }
    }
    source.activate()
    source.cancel()
  }
  try ended.wait(for: 1)
  try tracker.waitUntilAllAreFreed()
  queue.sync(flags: .barrier) {}
  try agree(together.value, 0, "handlers side by side")
  try agree(tooLate.value, 0, "handlers after the cancel handler")
  try agree(ended.value, 1, "cancel handlers")
  try agree(handled.value, counted.value, "handlers that saw each other's work")
}

// MARK: User data

private func mergeThroughout(_ random: inout SeededGenerator) throws {
  let queue = makeSourceQueue(&random)
  let threads = Int.random(in: 1...3, using: &random)
  let merges = Int.random(in: 200...3_000, using: &random)
  let source = Carried(DispatchSource.makeUserDataAddSource(queue: queue))
  let sum = Unguarded(0)
  let all = Gate("all merges")
  let tracker = LeakTracker()
  @Sendable func setHandler() {
    let object = tracker.makeObject()
    source.value.setEventHandler {
      object.touch()
      sum.value += Int(source.value.data)
      if sum.value == threads * merges { all.open() }
    }
  }
  setHandler()
  if Bool.random(using: &random) { source.value.activate() }
  let generators = (0...threads).map { _ in random.split() }
  try runThreads(threads + 1) { thread in
    var random = generators[thread]
    if thread < threads {
      for _ in 0..<merges { source.value.add(data: 1) }
      return
    }
    for _ in 0..<200 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        source.value.suspend()
        dawdle(Int.random(in: 0...200, using: &random))
        source.value.resume()
      case 1: setHandler()
      default: source.value.activate()
      }
    }
  }
  source.value.activate()
  try all.wait()
  let gone = Gate("cancelled")
  source.value.setCancelHandler { gone.open() }
  source.value.cancel()
  try gone.wait()
  try agree(sum.value, threads * merges, "merges told")
  try tracker.waitUntilAllAreFreed()
}

// MARK: Descriptors

/// D18 and D19. Every word names its receiver. A source that receives events for a descriptor
/// that it no longer owns reads another source's word, or finds nothing.
private func reuseNumbers(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...5, using: &random)
  let rounds = Int.random(in: 10...60, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let queues = (0..<3).map { _ in makeSourceQueue(&random) }
  let tracker = LeakTracker()
  let wrong = Counter(), empty = Counter()
  let opened = Counter()
  let closed = EventCounter("descriptors closed")
  try runThreads(threads) { thread in
    var random = generators[thread]
    for round in 0..<rounds {
      let kind: Ends.Kind = Bool.random(using: &random) ? .pipe : .sockets
      let ends = try Ends(kind)
      opened.increment()
      let tag = UInt8.random(in: .min ... .max, using: &random)
      let arrived = EventCounter("bytes of thread \(thread), round \(round)")
      let object = tracker.makeObject()
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: queues.randomElement(using: &random)!)
      source.setEventHandler {
        object.touch()
        var polled = pollfd(fd: ends.input, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 0) == 1 else {
          empty.increment()
          return
        }
        let bytes = ends.take(atMost: 3)
        for byte in bytes {
          if byte != tag { wrong.increment() }
          arrived.increment()
        }
      }
      source.setCancelHandler {
        object.touch()
        ends.closeInput()
        ends.closeOutput()
        closed.increment()
      }
      source.activate()
      let count = Int.random(in: 0...6, using: &random)
      for _ in 0..<count { ends.put([tag]) }
      if Int.random(in: 0..<3, using: &random) > 0 { try arrived.wait(for: count) }
      source.cancel()
      if Bool.random(using: &random) { try closed.wait(for: 1) }
    }
  }
  try closed.wait(for: opened.value)
  try tracker.waitUntilAllAreFreed()
  try agree(wrong.value, 0, "bytes of another's")
  try agree(empty.value, 0, "events without a byte")
  try agree(closed.value, opened.value, "cancel handlers")
}

/// One source stays and reads every byte, while several threads make and cancel other sources
/// on the same descriptor.
private func comeAndGo(_ random: inout SeededGenerator) throws {
  let ends = try Ends(.sockets)
  let threads = Int.random(in: 1...3, using: &random)
  let rounds = Int.random(in: 20...100, using: &random)
  let queues = (0...threads).map { _ in makeSourceQueue(&random) }
  let generators = (0..<threads).map { _ in random.split() }
  let read = EventCounter("bytes read")
  let staying = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queues[threads])
  staying.setEventHandler {
    for _ in ends.take(atMost: 5) { read.increment() }
  }
  staying.activate()
  let gone = EventCounter("cancel handlers")
  let sent = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<rounds {
      let source: any DispatchSourceProtocol =
        Bool.random(using: &random)
        ? DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queues[thread])
        : DispatchSource.makeWriteSource(fileDescriptor: ends.input, queue: queues[thread])
      source.setEventHandler {}
      source.setCancelHandler { gone.increment() }
      source.activate()
      sent.increment()
      ends.put()
      dawdle(Int.random(in: 0...2_000, using: &random))
      source.cancel()
    }
  }
  try read.wait(for: sent.value)
  try gone.wait(for: threads * rounds)
  staying.setCancelHandler { gone.increment() }
  staying.cancel()
  try gone.wait(for: threads * rounds + 1)
  try agree(read.value, sent.value, "bytes read")
}
