// Scenarios — the registry: every scenario of this program, by the name that a test requests.
// Each subject's file has its own table.

typealias Scenario = @Sendable () -> Void

let scenarios: [String: Scenario] = [
  blockedScenarios, threadScenarios, wakeUpScenarios, memoryScenarios, submissionScenarios,
  cancellationScenarios, mainMisuseScenarios, mainQueueScenarios, mainQueueFormScenarios,
  startOrderScenarios,
  toolchainMainScenarios, qualityOfServiceScenarios, mainQueueHostScenarios,
  kernelPriorityScenarios, foreignBlockingScenarios, starvationScenarios,
  deadlockScenarios, lockDeadlockScenarios, lockOrderScenarios,
  lockSequenceScenarios, stuckScenarios,
  forkScenarios, sharedLockScenarios,
  machineScenarios,
  distributedLockScenarios, forkedLockScenarios, forkedConditionScenarios, freeLockScenarios,
  passedDeadlineScenarios,
  threadObjectScenarios, processEndScenarios, threadCostScenarios, dataScenarios,
  sourceScenarios, manyDescriptorScenarios, descriptorShortageScenarios,
  fileSourceScenarios, longHandlerScenarios,
  signalSourceScenarios, processSourceScenarios,
  forkedChannelScenarios, channelScenarios,
  runLoopScenarios, forkedLoopScenarios, runLoopTimerScenarios, mainLoopScenarios,
  hostedMainLoopScenarios, portScenarios,
  operationScenarios, operationChainScenarios, operationUrgencyScenarios,
  operationMainQueueScenarios, waitingTaskScenarios, reportScenarios,
  stackOverflowScenarios, neighbourScenarios, urgentFirstScenarios,
].reduce(into: [:]) { all, table in
  all.merge(table) { _, _ in preconditionFailure("two scenarios of one name") }
}

/// No scenario needs nearly as long; the longest sleeps for twenty seconds.
let scenarioLimitInSeconds: UInt32 = 120
