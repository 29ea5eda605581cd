// SuspensionStressTests — queues that are suspended, resumed and activated while others submit.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let suspensionSubjects = [
  Subject("a storm of suspend and resume loses and repeats nothing", storm),
  Subject("no item starts while a queue has suspended itself", suspendFromWithin),
  Subject("items of an inactive queue wait for activation and then all run", activate),
]

@Suite struct SuspensionStressTests {
  @Test(arguments: suspensionSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func storm(_ random: inout SeededGenerator) throws {
  let attributes: DispatchQueue.Attributes = Bool.random(using: &random) ? [] : .concurrent
  let queue = DispatchQueue(label: "org.signalbox.stress.storm", attributes: attributes)
  let threads = Int.random(in: 3...6, using: &random)
  let steps = Int.random(in: 100...300, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let ran = Counter()
  let submitted = Counter()
  try runThreads(threads) { thread in
    var random = generators[thread]
    var held = 0
    for _ in 0..<steps {
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where held < 3:
        queue.suspend()
        held += 1
      case 1, 2:
        if held > 0 {
          queue.resume()
          held -= 1
        }
      case 3 where held == 0:
        submitted.increment()
        queue.sync { _ = ran.increment() }
      case 4:
        submitted.increment()
        queue.async(flags: .barrier) { ran.increment() }
      case 5:
        // A thread that blocks here must not hold the queue suspended itself.
        while held > 0 {
          queue.resume()
          held -= 1
        }
        submitted.increment()
        queue.sync(flags: .barrier) { _ = ran.increment() }
      default:
        submitted.increment()
        queue.async { ran.increment() }
      }
    }
    while held > 0 {
      queue.resume()
      held -= 1
    }
  }
  queue.sync(flags: .barrier) {}
  try agree(ran.value, submitted.value, "items run")
}

private func suspendFromWithin(_ random: inout SeededGenerator) throws {
  let isConcurrent = Bool.random(using: &random)
  let queue = DispatchQueue(
    label: "org.signalbox.stress.self-suspended", attributes: isConcurrent ? .concurrent : [])
  let resumer = DispatchQueue(label: "org.signalbox.stress.resumer")
  let isSuspended = Counter()
  let early = Counter()
  let ran = Counter()
  let items = Int.random(in: 400...1500, using: &random)
  for _ in 0..<items {
    let steps = Int.random(in: 0...100, using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      queue.async(flags: .barrier) {
        if isSuspended.value != 0 { early.increment() }
        ran.increment()
        queue.suspend()
        isSuspended.increment()
        resumer.async {
          dawdle(steps)
          isSuspended.decrement()
          queue.resume()
        }
      }
    } else {
      queue.async {
        if isSuspended.value != 0 { early.increment() }
        ran.increment()
      }
    }
  }
  queue.sync(flags: .barrier) {}
  try agree(ran.value, items, "items run")
  try agree(early.value, 0, "items that started on a suspended queue")
  // The last resume may still be pending, and the queue must not be freed before it.
  resumer.sync {}
}

private func activate(_ random: inout SeededGenerator) throws {
  let rounds = 20
  let threads = 3
  var attributes: [DispatchQueue.Attributes] = []
  for _ in 0..<rounds {
    attributes.append(
      Bool.random(using: &random) ? .initiallyInactive : [.initiallyInactive, .concurrent])
  }
  let queues = attributes.map {
    DispatchQueue(label: "org.signalbox.stress.inactive", attributes: $0)
  }
  let activated = queues.map { _ in Counter() }
  let early = Counter()
  let ran = Counter()
  let meeting = Rendezvous(parties: threads)
  try runThreads(threads) { thread in
    for (round, queue) in queues.enumerated() {
      try meeting.meet()
      for number in 0..<10 {
        if thread == round % threads && number == 5 {
          activated[round].increment()
          queue.activate()
        }
        queue.async {
          if activated[round].value == 0 { early.increment() }
          ran.increment()
        }
      }
      queue.sync { _ = ran.increment() }
    }
  }
  for queue in queues { queue.sync(flags: .barrier) {} }
  try agree(ran.value, rounds * threads * 11, "items run")
  try agree(early.value, 0, "items that ran before activation")
}
