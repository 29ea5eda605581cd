// OnceStressTests — `DispatchOnce` and the `static let` form, raced.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let onceSubjects = [
  Subject("a once runs once, and all who ask see what it wrote", raceOnce),
  Subject("a once whose body blocks keeps all others waiting", blockOnce),
]

@Suite struct OnceStressTests {
  @Test(arguments: onceSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func raceOnce(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...6, using: &random)
  let onces = (0..<300).map { _ in DispatchOnce() }
  let written = onces.map { _ in Unguarded(0) }
  let unseen = Counter()
  let generators = (0..<threads).map { _ in random.split() }
  let meeting = Rendezvous(parties: threads)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for (number, once) in onces.enumerated() {
      if number % 50 == 0 { try meeting.meet() }
      dawdle(Int.random(in: 0...20, using: &random))
      once.perform {
        dawdle(10)
        written[number].value += 1
      }
      if written[number].value != 1 { unseen.increment() }
      once.perform { written[number].value += 1 }
    }
  }
  try agree(unseen.value, 0, "callers that did not see what the once wrote")
  for slot in written { try agree(slot.value, 1, "runs of a once") }
}

private func blockOnce(_ random: inout SeededGenerator) throws {
  let items = Int.random(in: 4...24, using: &random)
  let once = DispatchOnce()
  let hasBegun = Gate("beginning of the once")
  let mayEnd = Gate("end of the once")
  let group = DispatchGroup()
  let written = Unguarded(0)
  let early = Counter()
  DispatchQueue.global().async(group: group) {
    once.perform {
      hasBegun.open()
      mayEnd.pass()
      written.value += 1
    }
  }
  try hasBegun.wait()
  for _ in 0..<items {
    DispatchQueue.global().async(group: group) {
      once.perform { written.value += 100 }
      if !mayEnd.isOpened || written.value != 1 { early.increment() }
    }
  }
  dawdle(Int.random(in: 0...2000, using: &random))
  mayEnd.open()
  group.wait()
  try agree(early.value, 0, "callers that passed before the once had ended")
  try agree(written.value, 1, "runs of the once")
}
