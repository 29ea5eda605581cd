// BarrierGenerationsTests — barriers: which operations may run before, with and after them.

import Testing

@testable import SignalboxOperations

@Suite struct BarrierGenerationsTests {
  /// A plan whose operations are all ready, and the operations that were added to it.
  private struct Trial: ~Copyable {
    var plan = OperationPlan()
    private var inside: [Operation] = []

    mutating func add(barrier: Bool = false) -> Operation {
      let operation = barrier ? Operation(asBarrier: ()) : Operation()
      plan.generations.admit(operation, isBarrier: barrier, others: inside.count)
      inside.append(operation)
      plan.enqueue(operation)
      return operation
    }

    /// The operations that may begin. They stay in the plan.
    var open: [Operation] { inside.filter { plan.generations.isOpen(to: $0) } }

    mutating func end(_ operation: Operation) {
      plan.unlink(operation)
      inside.removeAll { $0 === operation }
      plan.leave(operation)
      // Every operation that may begin is in a line, and no other operation is.
      #expect(plan.lines.ready == open.count)
    }
  }

  @Test func withoutABarrierAllOperationsMayRun() {
    var trial = Trial()
    let all = [trial.add(), trial.add()]
    #expect(trial.open == all)
    trial.end(all[1])
    #expect(trial.open == [all[0]])
    #expect(!trial.plan.generations.areCounted)
    trial.plan.lines.release()
  }

  @Test func barrierWaitsForEarlierOperationsAndDelaysLaterOnes() {
    var trial = Trial()
    let before = [trial.add(), trial.add()]
    let barrier = trial.add(barrier: true)
    let behind = [trial.add(), trial.add()]
    #expect(trial.open == before)
    trial.end(before[1])
    #expect(trial.open == [before[0]])
    trial.end(before[0])
    #expect(trial.open == [barrier])
    trial.end(barrier)
    #expect(trial.open == behind)
    #expect(!trial.plan.generations.areCounted)
    trial.plan.lines.release()
  }

  @Test func barrierOfAnEmptyQueueIsOpenAtOnce() {
    var trial = Trial()
    for _ in 0..<3 {
      let barrier = trial.add(barrier: true)
      #expect(trial.open == [barrier])
      let behind = trial.add()
      #expect(trial.open == [barrier])
      trial.end(barrier)
      #expect(trial.open == [behind])
      trial.end(behind)
    }
    trial.plan.lines.release()
  }

  @Test func barriersInARowRunOneAfterTheOther() {
    var trial = Trial()
    let barriers = [trial.add(barrier: true), trial.add(barrier: true), trial.add(barrier: true)]
    for barrier in barriers {
      #expect(trial.open == [barrier])
      trial.end(barrier)
    }
    #expect(trial.open.isEmpty)
    trial.plan.lines.release()
  }

  /// An operation that reports its end early leaves from behind a barrier.
  @Test func removingAnOperationBehindABarrierDoesNotOpenIt() {
    var trial = Trial()
    let before = trial.add()
    let barrier = trial.add(barrier: true)
    let behind = trial.add()
    trial.end(behind)
    #expect(trial.open == [before])
    trial.end(barrier)
    #expect(trial.open == [before])
    let last = trial.add()
    trial.end(before)
    #expect(trial.open == [last])
    trial.plan.lines.release()
  }

  @Test func manyBarriersLeaveNothingBehind() {
    var trial = Trial()
    for _ in 0..<1000 {
      let work = trial.add()
      let barrier = trial.add(barrier: true)
      trial.end(work)
      #expect(trial.open == [barrier])
      trial.end(barrier)
    }
    #expect(!trial.plan.generations.areCounted)
    trial.plan.lines.release()
  }
}
