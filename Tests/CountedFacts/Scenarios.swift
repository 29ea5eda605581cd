// Scenarios — every scenario of this program, by the name that a test requests. Each subject's
// file has an enum with its scenarios.

package import ProgramScenarios

/// A scenario of this program.
package protocol CountedScenario: ProgramScenario {}

extension CountedScenario {
  package static var program: String { "CountedFacts" }
}

/// What a scenario does.
protocol Scenario: CountedScenario {
  func run()
}

private let subjects: [any Scenario.Type] = [
  BlockedItemScenario.self,
  ThreadScenario.self,
  WakeUpScenario.self,
  QueueMemoryScenario.self,
  SubmissionScenario.self,
  CancellationScenario.self,
  MainMisuseScenario.self,
  MainQueueScenario.self,
  MainQueueFormScenario.self,
  StartOrderScenario.self,
  ToolchainMainQueueScenario.self,
  QualityOfServiceScenario.self,
  MainQueueHostScenario.self,
  KernelPriorityScenario.self,
  ForeignBlockingScenario.self,
  StarvationScenario.self,
  DeadlockScenario.self,
  ReportedDeadlockScenario.self,
  LockDeadlockScenario.self,
  FindingScenario.self,
  LockOrderScenario.self,
  LockSequenceScenario.self,
  StuckScenario.self,
  ForkScenario.self,
  SharedLockScenario.self,
  MachineScenario.self,
  OlderKernelScenario.self,
  DistributedLockScenario.self,
  ForkedLockScenario.self,
  ForkedConditionScenario.self,
  ForkedValueScenario.self,
  ForkedCallScenario.self,
  FreeLockScenario.self,
  PassedDeadlineScenario.self,
  ThreadObjectScenario.self,
  ProcessEndScenario.self,
  ThreadCostScenario.self,
  DataScenario.self,
  SourceScenario.self,
  ManyDescriptorScenario.self,
  DescriptorShortageScenario.self,
  FileSourceScenario.self,
  LongHandlerScenario.self,
  SignalSourceScenario.self,
  ProcessSourceScenario.self,
  ForkedChannelScenario.self,
  ChannelScenario.self,
  RunLoopScenario.self,
  ForkedLoopScenario.self,
  RunLoopTimerScenario.self,
  MainLoopScenario.self,
  HostedMainLoopScenario.self,
  PortScenario.self,
  OperationScenario.self,
  OperationChainScenario.self,
  OperationUrgencyScenario.self,
  OperationMainQueueScenario.self,
  WaitingTaskScenario.self,
  ReportScenario.self,
  HungScenario.self,
  HungPairScenario.self,
  WatchedScenario.self,
  TracedScenario.self,
  MeasuredTimesScenario.self,
  StackOverflowScenario.self,
  NeighbourScenario.self,
  UrgentFirstScenario.self,
  MixedWorkScenario.self,
  ContainerScenario.self,
]

let scenarios: [String: any Scenario] = Dictionary(subjects.flatMap { $0.named }) { _, _ in
  preconditionFailure("two scenarios of one name")
}

extension Scenario {
  /// The scenarios of one subject, each with its name.
  fileprivate static var named: [(String, any Scenario)] { allCases.map { ($0.rawValue, $0) } }
}

/// No scenario needs nearly as long; the longest sleeps for twenty seconds.
let scenarioLimitInSeconds: UInt32 = 120
