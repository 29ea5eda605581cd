// RecordedStepsTests — what a recording contains of a program whose steps are known.

import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import SignalboxTrace
import Testing

@Suite(.guarded) struct RecordedStepsTests {
  private let run: Recorded

  init() throws {
    run = try Recorded("steps")
    try #require(run.outcome.exit == .code(0), "\(run.outcome.standardError)")
  }

  @Test func aRecordingNamesItsProcessAndWhyItWasWritten() {
    let header = run.recording.header
    #expect(header.program == "TraceFacts")
    #expect(header.cause == .programEnded)
    #expect(header.eventsLost == 0 && header.namesLost == 0)
    #expect(header.processors > 0 && header.beganOnTheWall > 0)
    #expect(run.marks() == ["begun"])
  }

  @Test func anItemIsSubmittedByOneThreadAndRunByAnother() throws {
    let queue = try run.queue("steps.target")
    let submitted = try #require(run.events(.itemSubmitted, queue).first)
    let started = try #require(run.events(.itemStarted, queue).first)
    let finished = try #require(run.events(.itemFinished, queue).first)
    #expect(submitted.thread == run.mainThread)
    #expect(started.thread == finished.thread)
    #expect(submitted.detail == started.detail && started.detail == finished.detail)
    #expect(submitted.time <= started.time && started.time <= finished.time)
  }

  @Test func aQueueHasItsTargetAndItsDrainTaskIsNotWork() throws {
    let serial = try run.queue("steps.serial")
    let target = try run.queue("steps.target")
    let name = run.recording.names.first { $0.subject == .queue && $0.id == target }
    #expect(name?.extra == serial)
    let drainTasks = run.events(.itemSubmitted, serial).filter {
      TraceItemFlags(rawValue: $0.flags).contains(.drainTask)
    }
    #expect(!drainTasks.isEmpty)
  }

  @Test func syncIsEnteredAndLeftByItsCaller() throws {
    let queue = try run.queue("steps.concurrent")
    let entered = run.events(.syncEntered, queue)
    #expect(entered.count == 2 && run.events(.syncLeft, queue).count == 2)
    #expect(entered.map(\.flags) == [TraceItemFlags.barrier.rawValue, 0])
    #expect(entered.allSatisfy { $0.thread == run.mainThread })
    #expect(entered.allSatisfy { $0.detail > 0 && $0.detail <= $0.time })
    let barrier = run.events(.itemSubmitted, queue).filter {
      TraceItemFlags(rawValue: $0.flags).contains(.barrier)
    }
    #expect(barrier.count == 1)
  }

  @Test func anItemHasItsClassOfService() throws {
    let queue = try run.queue("steps.serial")
    #expect(run.events(.itemSubmitted, queue).contains { $0.a > 0 && $0.a <= 6 })
  }

  @Test func delayedItemsAndHandlersAreDistinguished() throws {
    let queue = try run.queue("steps.serial")
    let flags = run.events(.itemSubmitted, queue).map { TraceItemFlags(rawValue: $0.flags) }
    #expect(flags.count { $0.contains(.delayed) } == 1)
    #expect(flags.contains { $0.contains(.handler) })
  }

  @Test func timersAreArmedFiredAndCancelledUnderTheirNumbers() throws {
    let fired = run.events(.timerFired)
    let armed = run.events(.timerArmed)
    #expect(fired.count >= 2)
    for event in fired {
      let before = armed.last { $0.object == event.object && $0.time <= event.time }
      #expect(before != nil, "fired and never armed: \(event)")
      if let before { #expect(event.time >= before.detail, "fired before it was due") }
    }
    let cancelled = Set(run.events(.timerCancelled).map(\.object))
    let pending = Set(armed.map(\.object)).subtracting(fired.map(\.object))
    #expect(!cancelled.isDisjoint(with: pending), "the item that was cancelled in time")
    let trace = TraceModel(run.recording)
    #expect(trace.timers.object.allSatisfy { trace.objectName($0) == "timer" })
  }

  @Test func aWaitHasItsObjectItsReasonAndItsWaker() throws {
    let semaphore = try #require(run.objects(.semaphore, "a semaphore made with 0").first)
    let began = try #require(
      run.events(.waitBegan, semaphore).first { $0.a == WaitReason.semaphore.rawValue })
    let ended = try #require(
      run.events(.waitEnded, semaphore).first { $0.thread == began.thread && $0.flags == 0 })
    #expect(began.thread != run.mainThread && began.detail == 0)
    #expect(ended.time >= began.time && ended.b == run.mainThread)
    let wake = run.events(.wake, semaphore).first { $0.flags == 0 }
    #expect(wake?.thread == run.mainThread)
    let signal = try #require(run.events(.semaphoreSignalled, semaphore).first)
    #expect(signal.thread == run.mainThread && signal.time <= ended.time)
    let words = run.recording.names.first {
      $0.subject == .text && $0.id == UInt64(WaitReason.semaphore.rawValue)
    }
    #expect(words?.text == WaitReason.semaphore.words)
  }

  @Test func aWaitThatEndsAtItsDeadlineHasTimedOut() {
    let ended = run.events(.waitEnded).filter {
      TraceWaitFlags(rawValue: $0.flags).contains(.timedOut)
    }
    #expect(ended.count == 1 && ended.first?.thread == run.mainThread && ended.first?.b == 0)
  }

  @Test func aLockHasItsNameAndItsOwner() throws {
    let lock = try #require(run.objects(.lock, "steps.lock").first)
    let began = try #require(run.events(.waitBegan, lock).first)
    #expect(began.b == run.mainThread)
    let waiter = run.recording.names.last {
      $0.subject == .thread && $0.id == UInt64(began.thread)
    }
    #expect(waiter?.text == "steps.waiter")
    // The recording did not request them.
    #expect(run.events(.lockTaken).isEmpty && run.events(.lockLeft).isEmpty)
  }

  @Test func groupsLoopsThreadsAndWorkersAreRecorded() throws {
    let group = try #require(run.objects(.group).first)
    #expect(!run.events(.groupEntered, group).isEmpty && !run.events(.groupLeft, group).isEmpty)
    #expect(!run.events(.workerWoken).filter { $0.b != 0 }.isEmpty)
    let loop = try #require(run.objects(.runLoop).first)
    let steps = run.events(.runLoopStep, loop)
    #expect(!steps.isEmpty && steps.allSatisfy { $0.thread == run.mainThread })
    #expect(!run.events(.threadStarted).isEmpty && !run.events(.threadEnded).isEmpty)
    let roles = Set(run.recording.names.filter { $0.subject == .thread }.map(\.flags))
    #expect(roles == [0, 1, 2])
  }

  @Test func parkingAndResumingAlternate() {
    var parked: [UInt32: Bool] = [:]
    for event in run.recording.events where [.workerParked, .workerUnparked].contains(event.kind) {
      let isParked = event.kind == .workerParked
      #expect(parked[event.thread, default: false] != isParked, "\(event)")
      parked[event.thread] = isParked
    }
  }

  @Test func theMainQueueIsServedByTheMainThread() throws {
    let main = try #require(
      run.recording.names.first {
        $0.subject == .queue && $0.flags == TraceQueueKind.main.rawValue
      })
    let started = run.events(.itemStarted, main.id)
    #expect(started.count == 1 && started[0].thread == run.mainThread)
    #expect(run.events(.itemSubmitted, main.id).first?.thread != run.mainThread)
  }

  @Test func aLongItemHasItsSwitches() throws {
    // The item sleeps, so it leaves the processor.
    let queue = try run.queue("steps.serial")
    #expect(run.events(.itemFinished, queue).contains { $0.a > 0 })
  }
}
