// QualityOfServiceTests — D8 (queues) and D34: quality of service has a measurable effect.

import CountedFacts
import SignalboxDispatch
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct QualityOfServiceTests {
  /// D8. While every worker is busy, the last item submitted, with the highest class, starts
  /// before earlier ones of a low class.
  @Test(arguments: [
    QualityOfServiceScenario.interactiveItemAmongBackgroundItems,
    .interactiveWorkItemAmongUtilityItems,
    .interactiveQueueAmongBackgroundQueues,
    .interactiveGlobalItemAmongBackgroundOnes,
    .queueOfHigherRelativePriorityAmongLowerOnes,
    .itemOfHigherRelativePriorityAmongLowerOnes,
  ])
  func higherClassStartsFirst(_ scenario: QualityOfServiceScenario) throws {
    let outcome = try ChildProgram.run(
      scenario, environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["lowerEnded"] == outcome.facts["lowerItems"])
    let startedBefore = try #require(outcome.facts["startedBefore"].flatMap { Int($0) })
    // Workers of low priority may take a few while the processor is busy.
    #expect(startedBefore < 20, "of 200 lower items")
  }

  /// D8. A handler of the highest class waits for no item of a lower class, however long those
  /// items compute.
  @Test func interactiveSourcesAreCalledWhileOthersComputeOnEveryProcessor() throws {
    let outcome = try ChildProgram.run(
      QualityOfServiceScenario.interactiveSourcesWhileSerialQueuesCompute,
      environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    for fact in ["reads", "fires", "merges"] { #expect(outcome.facts[fact] == "1", "\(fact)") }
  }

  /// How the kernel schedules a thread.
  struct Scheduling: Equatable, Sendable {
    let policy: Int32
    let nice: Int32

    static func ofCaller() -> Scheduling {
      Scheduling(
        policy: sched_getscheduler(0),
        nice: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
    }
  }

  /// D34. Iterations start with the caller's class: before items of the class below it, though
  /// those were submitted first.
  @Test(.enabled(if: processorCount >= 2, "iterations run side by side on two processors"))
  func iterationsStartWithTheCallersClass() throws {
    let outcome = try ChildProgram.run(
      QualityOfServiceScenario.interactiveIterationsAmongUserInitiatedItems,
      environment: ["SIGNALBOX_WORKERS": "2"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["otherItems"] == "200")
    let startedBefore = try #require(outcome.facts["startedBefore"].flatMap { Int($0) })
    #expect(startedBefore < 20, "of 200 other items")
  }

  /// D34. Two iterations that meet run on two threads, both with the caller's quality of
  /// service.
  @Test(
    .enabled(if: processorCount >= 2, "iterations run side by side on two processors"),
    arguments: [DispatchQoS.QoSClass.background, .utility, .default])
  func concurrentPerformHonoursTheCallersClass(_ qos: DispatchQoS.QoSClass) throws {
    let seen = EventLog<(iterations: [Scheduling], caller: Scheduling, threads: Int)>()
    DispatchQueue(label: "test.caller", qos: DispatchQoS(qosClass: qos, relativePriority: 0))
      .async {
        let caller = Scheduling.ofCaller()
        let iterations = EventLog<Scheduling>()
        let threads = Guarded<Set<Int>>([])
        let turns = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        DispatchQueue.concurrentPerform(iterations: 2) { index in
          turns[1 - index].signal()
          turns[index].wait()
          iterations.append(.ofCaller())
          let number = kernelThreadNumber()
          threads.withValue { _ = $0.insert(number) }
        }
        seen.append((iterations.all, caller, threads.current.count))
      }
    let result = try seen.wait(forCount: 1)[0]
    #expect(result.threads == 2)
    #expect(result.iterations == [result.caller, result.caller])
  }
}
