// Scenarios — the registry of scenarios that hold on the toolchain's pool and on Signalbox's.
// Each subject's file has its own table.

package typealias AsyncScenario = @Sendable () async throws -> Void

package let semanticScenarios: [String: AsyncScenario] = [
  priorityScenarios, cancellationScenarios, taskLocalScenarios, isolationScenarios,
  groupScenarios, streamScenarios, continuationScenarios, actorScenarios, sleepScenarios,
  depthScenarios, mainActorScenarios, graphScenarios,
].reduce(into: [:]) { all, table in
  all.merge(table) { _, _ in preconditionFailure("two scenarios of one name") }
}

/// No scenario needs nearly as long.
package let scenarioLimitInSeconds: UInt32 = 90
