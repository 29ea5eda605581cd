// TogetherTests — all subjects at once on one pool, for a second or for as many minutes as the
// environment requests.

import SignalboxTestSupport
import Testing

let allSubjects: [Subject] =
  serialQueueSubjects + concurrentQueueSubjects + suspensionSubjects + hierarchySubjects
  + groupSubjects + semaphoreSubjects + timedWaitSubjects + workItemSubjects + asyncAfterSubjects
  + hopSubjects + retargetSubjects
  + iterationSubjects + lifetimeSubjects + blockingSubjects + onceSubjects + urgencySubjects
  + patternSubjects + nearDeadlockSubjects + barrierSubjects + lockSubjects + conditionSubjects
  + sharedLockSubjects + nearConditionSubjects + threadSubjects + dataSubjects + sourceSubjects
  + sharedDescriptorSubjects + busyNeighbourSubjects + pollingSubjects + ioSubjects
  + fileSourceSubjects + timerSubjects + sourceTimerSubjects + portSubjects
  + sourceKindSubjects + peerSubjects + runLoopSubjects + loopStormSubjects + operationSubjects
  + mixedWorkSubjects

@Suite(.serialized) struct TogetherTests {
  /// Each lane draws its own subjects and seeds; the lanes disturb each other.
  @Test func subjectsHoldWhileOthersRun() throws {
    let lanes = 3
    let end = Uptime.now() + Stress.together
    let passes = EventCounter("passes")
    let hasFailed = Guarded(false)
    let endedLanes = Guarded(0)
    var derived = SeededGenerator(seed: Stress.seed)
    let threads = try (0..<lanes).map { _ in
      let generator = derived.split()
      return try PlainThread {
        defer { endedLanes.withValue { $0 += 1 } }
        var random = generator
        repeat {
          do {
            try allSubjects.randomElement(using: &random)!.run(seed: random.next())
          } catch {
            hasFailed.withValue { $0 = true }
            throw error
          }
          passes.increment()
        } while Uptime.now() < end && !hasFailed.current
      }
    }
    // The wedge detector ends a pass that hangs long before this limit.
    let allEnded = endedLanes.wait(limit: Stress.together + RealTime.life) { $0 == lanes }
    #expect(allEnded)
    var failures: [any Error] = []
    for thread in threads {
      do { try thread.join() } catch { failures.append(error) }
    }
    #expect(failures.isEmpty)
    #expect(passes.value + failures.count >= lanes)
    StandardError.print("\(passes.value) passes in \(Stress.together)")
  }
}
