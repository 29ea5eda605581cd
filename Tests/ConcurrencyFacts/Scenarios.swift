// Scenarios — the registries: scenarios that are one task, and scenarios that are whole
// programs.

import ConcurrencyScenarios

/// A program that itself adopts the executors and drains its main queue.
typealias ProgramScenario = @Sendable (Way) -> Void

let taskScenarios: [String: AsyncScenario] = [
  semanticScenarios, firstThreadScenarios, queueExecutorScenarios, blockedTaskScenarios,
  urgencyScenarios, countScenarios, forkScenarios, namedTaskScenarios,
].reduce(into: [:]) { all, table in
  all.merge(table) { _, _ in preconditionFailure("two scenarios of one name") }
}

let programScenarios: [String: ProgramScenario] = [
  adoptionScenarios, takenScenarios, mainIsolationScenarios, stuckTaskScenarios, idleScenarios,
].reduce(into: [:]) { all, table in
  all.merge(table) { _, _ in preconditionFailure("two scenarios of one name") }
}
