// HopStressTests — chains of items from queue to queue.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let hopSubjects = [
  Subject("a token passed from queue to queue is handed on whole", passTokens),
  Subject("two queues that answer each other never stop", answerEachOther),
]

@Suite struct HopStressTests {
  @Test(arguments: hopSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Only the current item uses the token, so each hop must hand over all of its contents.
private final class Token: @unchecked Sendable {
  // SAFETY: the queues' hand-offs keep its owners apart, which is what the test checks.
  var hops = 0
  var random: SeededGenerator
  init(_ random: SeededGenerator) { self.random = random }
}

private func passTokens(_ random: inout SeededGenerator) throws {
  let queues = (0..<16).map { number in
    DispatchQueue(
      label: "org.signalbox.stress.hop.\(number)", attributes: number % 3 == 0 ? .concurrent : [])
  }
  let hops = Int.random(in: 300...1500, using: &random)
  let tokens = (0..<Int.random(in: 1...12, using: &random)).map { _ in Token(random.split()) }
  let group = DispatchGroup()
  @Sendable func hop(_ token: Token) {
    token.hops += 1
    guard token.hops < hops else { return group.leave() }
    let queue = queues.randomElement(using: &token.random)!
    if Int.random(in: 0..<8, using: &token.random) == 0 {
      queue.async(flags: .barrier) { hop(token) }
    } else {
      queue.async { hop(token) }
    }
  }
  for token in tokens {
    group.enter()
    queues[0].async { hop(token) }
  }
  group.wait()
  for token in tokens { try agree(token.hops, hops, "hops") }
}

private func answerEachOther(_ random: inout SeededGenerator) throws {
  let first = DispatchQueue(label: "org.signalbox.stress.ping")
  let second = DispatchQueue(label: "org.signalbox.stress.pong")
  let count = Int.random(in: 500...3000, using: &random)
  let answers = Unguarded(0)
  let group = DispatchGroup()
  group.enter()
  @Sendable func ask(_ left: Int) {
    second.async {
      answers.increment()
      first.async { left > 1 ? ask(left - 1) : group.leave() }
    }
  }
  first.async { ask(count) }
  // An unrelated thread uses the same queues, so that both are busy at times.
  for _ in 0..<count {
    first.async {}
    second.sync {}
  }
  group.wait()
  try agree(second.sync { answers.value }, count, "answers")
}
