// Outcomes — what each execution of a litmus test observes, threads in order.

import Testing

/// Returns every outcome of the program. Requires that the program has no flaw, and that the
/// outcomes are the same whether or not the explorer forgets old messages.
func outcomes(
  sourceLocation: SourceLocation = #_sourceLocation, of declare: (inout Program) -> Void
) -> Set<[Int]> {
  let program = Program(declare)
  let verdict = program.explored()
  #expect(verdict.holds, "\(verdict)", sourceLocation: sourceLocation)
  let remembering = program.explored(forgets: false)
  #expect(
    remembering.outcomes == verdict.outcomes, "forgetting changed the outcomes",
    sourceLocation: sourceLocation)
  #expect(remembering.states >= verdict.states, sourceLocation: sourceLocation)
  return verdict.outcomes
}

extension Ordering {
  static let ofStores: [Ordering] = [.relaxed, .release, .sequentiallyConsistent]
  static let ofLoads: [Ordering] = [.relaxed, .acquire, .sequentiallyConsistent]
}
