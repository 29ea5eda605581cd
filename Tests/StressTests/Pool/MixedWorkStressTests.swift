// MixedWorkStressTests — several programs at a time that use the pool in every way, with few
// permits and sometimes a low ceiling. They take the processors from each other, so a worker
// may be late at any step.

import CountedFacts
import SignalboxTestSupport
import Testing

let mixedWorkSubjects = [
  Subject("programs with work of every kind end, and give back every permit", runMixedPrograms)
]

@Suite struct MixedWorkStressTests {
  @Test(arguments: mixedWorkSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func runMixedPrograms(_ random: inout SeededGenerator) throws {
  let programs = (0..<4).map { _ in
    let width = Int.random(in: 1...3, using: &random)
    let isLow = Int.random(in: 0..<4, using: &random) == 0
    return (
      seed: Int.random(in: 0..<1_000_000, using: &random), width: width,
      ceiling: isLow ? width + Int.random(in: 1...5, using: &random) : 512
    )
  }
  try runThreads(programs.count) { index in
    let (seed, width, ceiling) = programs[index]
    let facts = try Facts(
      of: MixedWorkScenario.mixedWork, "\(seed)", "10",
      environment: ["SIGNALBOX_WORKERS": "\(width)", "SIGNALBOX_MAX_WORKERS": "\(ceiling)"])
    let program = "width \(width), ceiling \(ceiling), \(facts)"
    try agree(facts.integer("missing"), 0, "\(program): missing ends")
    try agree(facts.integer("running"), 0, "\(program): permits taken and runnables left")
  }
}
