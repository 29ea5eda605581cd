// StepMatch — a document's steps, found in a run: each by its events, in the document's order.

struct StepMatch: Sendable {
  let step: Step
  let events: [RecordedEvent]

  /// What a run does not show.
  struct Mismatch: Error, CustomStringConvertible {
    /// From 1.
    let step: Int
    let what: String

    var description: String { "step \(step) is not shown: \(what)" }
  }

  /// Each step's events come after those of the step before, in time; and its facts hold.
  static func all(_ steps: [Step], in run: RecordedRun) throws(Mismatch) -> [StepMatch] {
    guard run.lostEvents == 0 else {
      throw Mismatch(step: 1, what: "\(run.lostEvents) events were lost")
    }
    var place = 0
    var matches: [StepMatch] = []
    for (number, step) in zip(1..., steps) {
      var found: [Int] = []
      for pattern in step.events {
        let from = step.isOrdered ? (found.last ?? place - 1) + 1 : place
        let event = run.events[from...].firstIndex { pattern.matches($0, in: run) }
        guard let event else { throw Mismatch(step: number, what: "no event \(pattern)") }
        found.append(event)
      }
      for fact in step.facts where !fact.holds(run) {
        throw Mismatch(step: number, what: fact.words)
      }
      place = (found.max() ?? place - 1) + 1
      matches.append(StepMatch(step: step, events: found.sorted().map { run.events[$0] }))
    }
    return matches
  }
}
